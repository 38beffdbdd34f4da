/* SPDX-License-Identifier: MIT
 *
 * restart.h - programs that need more static TLS than is available with an auditor.
 *
 * With an auditor, glibc's linker sizes the static TLS of all threads before it has loaded the
 * libraries of the program. They get the surplus meant for libraries that are opened later, and the
 * linker ends the program if that is too small. A tunable could increase it, but each thread would
 * pay for it with its stack. Without an auditor, every library gets what it needs.
 */
#ifndef DWELL_RUNTIME_CALLS_RESTART_H
#define DWELL_RUNTIME_CALLS_RESTART_H

#include "image.h"

/*
 * Adds up the static TLS of libraries. If that exceeds the space, executes the same program again,
 * without an auditor: then the runtime walks the linker's tables itself. Returns if there is enough
 * so far, or if the program cannot be executed again. Call only before the linker has relocated the
 * first object of the program.
 */
void restart_if_short(const struct image *image);

#endif
