/* SPDX-License-Identifier: MIT
 *
 * top_output.h - what a command writes while dwell top has the terminal: it goes into a pipe, of
 * which the end is kept to be shown.
 */
#ifndef DWELL_CLI_TOP_TOP_OUTPUT_H
#define DWELL_CLI_TOP_TOP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define TOP_OUTPUT_BYTES 65536

struct top_output {
	int read_end, write_end; /* of the pipe; -1: there is none */
	const char *log;         /* a file that it goes to instead; NULL: none */
	char bytes[TOP_OUTPUT_BYTES + 1];
	size_t size; /* of what is kept, which ends with '\0' */
};

/* On success, top_output_close() is due. */
int top_output_open(struct top_output *output, const char *log, struct err *err);
void top_output_close(struct top_output *output);

/* In the child: what it writes goes there, and there is nothing to be read unless it keeps its
 * input. 0 or -errno. */
int top_output_take(const struct top_output *output, bool keeps_input);

/* Keeps what was written since. */
void top_output_read(struct top_output *output);

/* One of the last lines; 0 is the last. NULL: there are no more. Answers its length as well. */
const char *top_output_line(const struct top_output *output, size_t from_end, size_t *length);

#endif
