/* SPDX-License-Identifier: MIT
 *
 * demangler.h - the names of a C++ or Rust function as a user writes them, for code inside the
 * target that chooses by name. libiberty is linked in, so that the target has no further
 * dependency. Does not allocate.
 */
#ifndef DWELL_RUNTIME_CALLS_DEMANGLER_H
#define DWELL_RUNTIME_CALLS_DEMANGLER_H

#include <stdbool.h>

struct demangled {
	const char *full;  /* with parameters */
	const char *plain; /* without */
};

/*
 * Demangles a symbol. False: it is not mangled, or too long. The names are valid until the next
 * call: one at a time.
 */
bool demangler_read(struct demangled *names, const char *symbol);

#endif
