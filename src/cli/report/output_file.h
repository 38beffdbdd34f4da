/* SPDX-License-Identifier: MIT
 *
 * output_file.h - the file that a verb writes with -o: it is replaced as a whole or not at all.
 * Pipes, devices and the like are written in place. Files that another user has left in a directory
 * like /tmp are neither followed nor replaced.
 */
#ifndef DWELL_CLI_REPORT_OUTPUT_FILE_H
#define DWELL_CLI_REPORT_OUTPUT_FILE_H

#include <stdio.h>

#include "base/err.h"

struct output_file {
	FILE *out;
	const char *path; /* NULL: stdout */
	char *temporary;  /* the file to be renamed at the end; NULL: none */
};

/* NULL and "-" mean stdout. On success, end it with output_file_finish() or output_file_drop(). */
int output_file_open(struct output_file *file, const char *path, struct err *err);

/* Moves the file into place if everything could be written. */
int output_file_finish(struct output_file *file, struct err *err);

/* Removes everything that was written. */
void output_file_drop(struct output_file *file);

#endif
