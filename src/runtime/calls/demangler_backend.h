/* SPDX-License-Identifier: MIT
 *
 * demangler_backend.h - the demangler in use: libiberty's, or if it is missing, as for the other
 * word size, that of libstdc++.
 */
#ifndef DWELL_RUNTIME_CALLS_DEMANGLER_BACKEND_H
#define DWELL_RUNTIME_CALLS_DEMANGLER_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

/* Appends a part; NULL discards all earlier ones. */
typedef void demangler_append(const char *part, size_t length, void *context);

/*
 * Appends the name to the context, in any number of parts. False: the symbol is not such a name,
 * and the appended parts are void. Does not allocate; one at a time.
 */
bool demangler_backend(const char *symbol, bool with_parameters, demangler_append *append,
		       void *context);

#endif
