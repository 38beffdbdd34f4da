/* SPDX-License-Identifier: MIT
 *
 * symbolic.h - finds objects that are bound to their own functions (-Bsymbolic,
 * -Bsymbolic-functions, hidden aliases).
 *
 * Such an object has the addresses of its exported functions without the linker. It may compare
 * them with pointers that it is given, as Qt does to find a signal by its function. A redirector
 * would never be equal, so pointers to these functions are left alone, and only calls through the
 * PLT are redirected.
 */
#ifndef DWELL_RUNTIME_CALLS_SYMBOLIC_H
#define DWELL_RUNTIME_CALLS_SYMBOLIC_H

#include "image.h"

/* The cached result for an object. Computing it reads all of its relocations and symbols. */
enum symbolic { SYMBOLIC_UNKNOWN, SYMBOLIC_NO, SYMBOLIC_YES };

/*
 * Returns whether pointers to functions of the image must be their own addresses. Initialise
 * `known` to SYMBOLIC_UNKNOWN. Async-signal-safe; the image must be mapped.
 */
bool symbolic_has(const struct image *image, enum symbolic *known);

#endif
