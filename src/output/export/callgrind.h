/* SPDX-License-Identifier: MIT
 *
 * callgrind.h - lines of callgrind's format, which samples and calls have in common. A name is
 * written once, with a number, and then by its number alone.
 */
#ifndef DWELL_OUTPUT_EXPORT_CALLGRIND_H
#define DWELL_OUTPUT_EXPORT_CALLGRIND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "string_table.h"
#include "recording/read/reader.h"

/* KCachegrind takes two functions with the same number for one, whatever their objects are. */
struct callgrind_function {
	uint32_t number; /* from 0 on */
	const char *name, *object, *file;
};

struct callgrind {
	FILE *out;
	struct string_table objects, files;
	bool *written; /* functions by number: the name has been written */
};

/* For so many functions. False: no memory. callgrind_fini() is due in any case. */
bool callgrind_init(struct callgrind *callgrind, size_t functions, FILE *out);
void callgrind_fini(struct callgrind *callgrind);

/* The beginning of a file whose lines have costs of these events, with blanks between them. */
void callgrind_head(const struct callgrind *callgrind, const struct reader *reader,
		    const char *events);

/* What follows is of this function; or, after a line `calls=`, of calls to it. */
void callgrind_begin(struct callgrind *callgrind, const struct callgrind_function *function);
void callgrind_call(struct callgrind *callgrind, const struct callgrind_function *callee,
		    uint64_t count);

/* Lines of another file than that of the function, from here on. */
void callgrind_file(struct callgrind *callgrind, const char *file);

#endif
