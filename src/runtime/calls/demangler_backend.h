/* SPDX-License-Identifier: MIT
 *
 * demangler_backend.h - whose demangler it is: libiberty's, or where there is none, as for the
 * other width of words, that of libstdc++.
 */
#ifndef DWELL_RUNTIME_CALLS_DEMANGLER_BACKEND_H
#define DWELL_RUNTIME_CALLS_DEMANGLER_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

/* Without a part: what was said before is void. */
typedef void demangler_append(const char *part, size_t length, void *context);

/* Appends the name to the context, in whatever parts. False: the symbol is no such name, and what
 * was appended means nothing. Allocates nothing; one at a time. */
bool demangler_backend(const char *symbol, bool with_parameters, demangler_append *append,
		       void *context);

#endif
