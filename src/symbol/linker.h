/* SPDX-License-Identifier: MIT
 *
 * linker.h - asks the dynamic linker which libraries it would load for a file. It knows about
 * LD_LIBRARY_PATH, LD_PRELOAD, RUNPATH, $ORIGIN and its cache better than anyone who copies its
 * rules.
 */
#ifndef DWELL_SYMBOL_LINKER_H
#define DWELL_SYMBOL_LINKER_H

#include <stddef.h>

#include "base/err.h"

/* In load order, without the file itself. Starts as all zeroes. */
struct linker_answer {
	char **loaded; /* paths */
	size_t loaded_count;
	char **missing; /* names that were not found anywhere */
	size_t missing_count;
};

/* Runs `interp`, with our environment, and not the file. On success and failure, linker_free() is
 * due. */
int linker_ask(struct linker_answer *answer, const char *interp, const char *file, struct err *err);
void linker_free(struct linker_answer *answer);

#endif
