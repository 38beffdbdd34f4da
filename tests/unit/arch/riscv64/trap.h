/* SPDX-License-Identifier: MIT
 *
 * trap.h - single-stepping, which a program cannot do to itself here.
 */
#ifndef TESTS_ARCH_TRAP_H
#define TESTS_ARCH_TRAP_H

#include <stdbool.h>

#define TRAP_REFUSED "on riscv64 only a debugger can step through a program"

static inline void trap(bool on)
{
	(void)on;
}

#endif
