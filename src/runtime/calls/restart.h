/* SPDX-License-Identifier: MIT
 *
 * restart.h - programs that need more static TLS than there is with an auditor.
 *
 * With an auditor, glibc's linker sizes the static TLS of all threads before it has loaded the
 * libraries of the program. They get what is left over for libraries that are opened later, and
 * the linker ends the program where that is not enough. A tunable could ask for more, but each
 * thread would pay for it with its stack. Without an auditor, every library has what it needs.
 */
#ifndef DWELL_RUNTIME_CALLS_RESTART_H
#define DWELL_RUNTIME_CALLS_RESTART_H

#include "image.h"

/* Counts what a library takes of the static TLS. Once that is more than there is, becomes the same
 * program again, without an auditor: then the runtime goes through the tables of the linker itself.
 * Returns if there is enough so far, or if the program cannot be executed again. Only before the
 * linker has relocated the first object of the program. */
void restart_if_short(const struct image *image);

#endif
