/* SPDX-License-Identifier: MIT
 *
 * output_file.h - what a verb writes with -o: it is there as a whole, or as it was before. What is
 * no regular file, as a pipe or a device, is written to as it is. What another user has left in a
 * folder like /tmp is neither followed nor replaced.
 */
#ifndef DWELL_CLI_REPORT_OUTPUT_FILE_H
#define DWELL_CLI_REPORT_OUTPUT_FILE_H

#include <stdio.h>

#include "base/err.h"

struct output_file {
	FILE *out;
	const char *path; /* NULL: it is stdout */
	char *temporary;  /* what is renamed in the end; NULL: nothing is */
};

/* A path of NULL or "-" is stdout. On success, output_file_finish() or output_file_drop() is due.
 */
int output_file_open(struct output_file *file, const char *path, struct err *err);

/* Puts it in its place, if all could be written. */
int output_file_finish(struct output_file *file, struct err *err);

/* Leaves nothing of it. */
void output_file_drop(struct output_file *file);

#endif
