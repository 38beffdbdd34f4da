/* SPDX-License-Identifier: MIT
 *
 * linker.h - asks the dynamic linker which libraries it would load for a file. It applies
 * LD_LIBRARY_PATH, LD_PRELOAD, RUNPATH, $ORIGIN and its cache better than any copy of its rules.
 */
#ifndef DWELL_SYMBOL_LINKER_H
#define DWELL_SYMBOL_LINKER_H

#include <stddef.h>

#include "base/err.h"

/* In load order, without the file itself. Starts as all zeroes. */
struct linker_result {
	char **loaded; /* paths */
	size_t loaded_count;
	char **missing; /* names not found */
	size_t missing_count;
};

/* Runs `interp`, with our environment, and not the file. On success and failure, free with
 * linker_free(). */
int linker_ask(struct linker_result *result, const char *interp, const char *file, struct err *err);
void linker_free(struct linker_result *result);

#endif
