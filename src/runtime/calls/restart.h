/* SPDX-License-Identifier: MIT
 *
 * restart.h - programs that cannot run with an auditor: they are executed again without one.
 *
 * Some need more static TLS than is available. With an auditor, glibc's linker sizes the static TLS
 * of all threads before it has loaded the libraries of the program. They get the surplus meant for
 * libraries that are opened later, and the linker ends the program if that is too small. A tunable
 * could increase it, but each thread would pay for it with its stack. Without an auditor, every
 * library gets what it needs.
 *
 * The first library with thread-local variables has TLS module 1; with an auditor, that is the
 * auditor's libc. On 32 bits, gcc 14's AddressSanitizer looks for module 1 among the program's own
 * libraries, and crashes without it.
 */
#ifndef DWELL_RUNTIME_CALLS_RESTART_H
#define DWELL_RUNTIME_CALLS_RESTART_H

#include "image.h"

/*
 * Notes a library of the program. If it cannot run beside an auditor, executes the same program
 * again without one: then the runtime walks the linker's tables itself. Returns if it can, or if
 * the program cannot be executed again. Call only before the linker has relocated the first object
 * of the program.
 */
void restart_if_needed(const struct image *image);

#endif
