/* SPDX-License-Identifier: MIT
 *
 * import_lines.h - the lines of a foreign text file.
 */
#ifndef DWELL_IMPORT_IMPORT_LINES_H
#define DWELL_IMPORT_IMPORT_LINES_H

#include "import.h"

struct import_lines {
	const struct import_bytes *file;
	char *next;    /* NULL: no more */
	size_t number; /* of the last line, from 1 */
};

struct import_lines import_lines_of(const struct import_bytes *file);

/* Returns the next line, without its end, which becomes '\0' in the file; NULL: no more. */
char *import_lines_next(struct import_lines *lines);

/* Sets the error for the last line. */
int import_lines_bad(const struct import_lines *lines, const char *how, struct err *err);

/* Fails if the text ended before the file: at a NUL byte. */
int import_lines_check(const struct import_lines *lines, struct err *err);

#endif
