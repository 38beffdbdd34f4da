/* SPDX-License-Identifier: MIT
 *
 * symbolic.h - finds objects that are bound to their own functions (-Bsymbolic,
 * -Bsymbolic-functions, hidden aliases).
 *
 * Such an object knows the addresses of functions that it exports without asking the linker. It may
 * compare them with pointers that it is given, as Qt does to find a signal by its function. A
 * redirector would never be equal, so pointers to these functions are left alone, and only calls
 * through the PLT are redirected.
 */
#ifndef DWELL_RUNTIME_CALLS_SYMBOLIC_H
#define DWELL_RUNTIME_CALLS_SYMBOLIC_H

#include "image.h"

/* What is known of an object. To find out, all of its relocations and symbols are read. */
enum symbolic { SYMBOLIC_UNKNOWN, SYMBOLIC_NO, SYMBOLIC_YES };

/* Returns whether pointers to functions of the image must be their own addresses. `known` begins as
 * SYMBOLIC_UNKNOWN. Async-signal-safe; the image must be mapped. */
bool symbolic_has(const struct image *image, enum symbolic *known);

#endif
