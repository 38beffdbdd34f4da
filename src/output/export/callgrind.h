/* SPDX-License-Identifier: MIT
 *
 * callgrind.h - lines of callgrind's format, shared by samples and calls. A name is written once
 * with a number, and then by its number only.
 */
#ifndef DWELL_OUTPUT_EXPORT_CALLGRIND_H
#define DWELL_OUTPUT_EXPORT_CALLGRIND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "string_table.h"
#include "recording/read/reader.h"

/* KCachegrind takes two functions with the same number for one, even if their objects differ. */
struct callgrind_function {
	uint32_t number; /* from 0 */
	const char *name, *object, *file;
};

struct callgrind {
	FILE *out;
	struct string_table objects, files;
	bool *written; /* by number: the name has been written */
};

/* Initialises it for that many functions. Returns false without memory; release with
 * callgrind_fini() in any case. */
bool callgrind_init(struct callgrind *callgrind, size_t functions, FILE *out);
void callgrind_fini(struct callgrind *callgrind);

/* Writes the head of a file whose lines have costs of these events, separated by blanks. */
void callgrind_head(const struct callgrind *callgrind, const struct reader *reader,
		    const char *events);

/* Begin the lines of this function; or, after a line `calls=`, of calls to it. */
void callgrind_begin(struct callgrind *callgrind, const struct callgrind_function *function);
void callgrind_call(struct callgrind *callgrind, const struct callgrind_function *callee,
		    uint64_t count);

/* Switches to lines of a file other than the function's own. */
void callgrind_file(struct callgrind *callgrind, const char *file);

#endif
