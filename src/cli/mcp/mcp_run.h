/* SPDX-License-Identifier: MIT
 *
 * mcp_run.h - runs dwell itself and collects what it prints. A process of its own: a recording that
 * takes all memory ends that process, and not the server.
 */
#ifndef DWELL_CLI_MCP_MCP_RUN_H
#define DWELL_CLI_MCP_MCP_RUN_H

#include "mcp.h"

/* Output that is longer is an error, whose text says what to do: half an object of JSON would be of
 * no use. */
#define MCP_OUTPUT_MAX (4U << 20)

/* Runs argv; argv[0] is a name alone. Output is stdout, or stderr if the command fails. */
mcp_run mcp_run_dwell;

#endif
