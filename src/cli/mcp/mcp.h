/* SPDX-License-Identifier: MIT
 *
 * mcp.h - the Model Context Protocol, by which programs ask for tools: JSON-RPC 2.0, one message a
 * line. Only what tools need: initialize, ping, tools/list and tools/call.
 */
#ifndef DWELL_CLI_MCP_MCP_H
#define DWELL_CLI_MCP_MCP_H

#include <stdbool.h>
#include <stddef.h>

/* The output of a command line. */
struct mcp_output {
	char *text; /* free with free() */
	bool is_error;
};

/* Runs a command line of dwell. Returns 0 or -errno, then there is no output. */
typedef int mcp_run(char *const argv[], struct mcp_output *output);

/* Handles a message. Returns the reply, to be freed with free(), or NULL if the message gets none:
 * a notification has no reply, and without memory there is none. */
char *mcp_reply(const char *message, size_t length, mcp_run *run);

/* Returns the reply to a message that is too long to be read. */
char *mcp_reply_too_long(size_t limit);

#endif
