/* SPDX-License-Identifier: MIT
 *
 * top_output.h - captures the output of a command while dwell top has the terminal: it goes into a
 * pipe, and the last part of it is kept for display.
 */
#ifndef DWELL_CLI_TOP_TOP_OUTPUT_H
#define DWELL_CLI_TOP_TOP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define TOP_OUTPUT_BYTES 65536

struct top_output {
	int read_end, write_end; /* of the pipe; -1: none */
	const char *log;         /* a file that it goes to instead; NULL: none */
	char bytes[TOP_OUTPUT_BYTES + 1];
	size_t size; /* of the kept part, which ends with '\0' */
};

/* On success, close it with top_output_close(). */
int top_output_open(struct top_output *output, const char *log, struct err *err);
void top_output_close(struct top_output *output);

/* Runs in the child: redirects its output, and its input unless keeps_input is set. Returns 0 or
 * -errno. */
int top_output_take(const struct top_output *output, bool keeps_input);

/* Reads what was written since the last call. */
void top_output_read(struct top_output *output);

/* Returns one of the last lines and its length; 0 is the last. Returns NULL if there are no more.
 */
const char *top_output_line(const struct top_output *output, size_t from_end, size_t *length);

#endif
