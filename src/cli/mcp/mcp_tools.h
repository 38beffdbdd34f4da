/* SPDX-License-Identifier: MIT
 *
 * mcp_tools.h - the tools that `dwell mcp` offers: each is a verb of dwell that only reads, with
 * the options that are of use to a program. A call of a tool becomes a command line of that verb.
 */
#ifndef DWELL_CLI_MCP_MCP_TOOLS_H
#define DWELL_CLI_MCP_MCP_TOOLS_H

#include <jansson.h>

#include "base/err.h"

struct mcp_tool;

/* Returns the list of tools with the schemas of their arguments, owned by the caller; NULL: no
 * memory. */
json_t *mcp_tools_list(void);

/* Returns the tool of that name, or NULL. */
const struct mcp_tool *mcp_tools_find(const char *name);

/* Writes the names of all tools, for messages. */
void mcp_tools_names(char *text, size_t bytes);

/*
 * Makes the command line of a call: argv[0] is "dwell", NULL ends it. arguments: an object, or
 * NULL. No value becomes an option by itself: options have their value in the same word, and files
 * that begin with a dash are named by ./-FILE. Returns NULL and sets err if an argument is unknown,
 * missing or of the wrong type. Free the result with mcp_tools_free().
 */
char **mcp_tools_command(const struct mcp_tool *tool, const json_t *arguments, struct err *err);

void mcp_tools_free(char **argv);

#endif
