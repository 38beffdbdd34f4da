/* SPDX-License-Identifier: MIT
 *
 * oddities.h - exceptions for tests of the walker.
 */
#ifndef TESTS_ARCH_ODDITIES_H
#define TESTS_ARCH_ODDITIES_H

#include <stdbool.h>
#include <stdint.h>

#define ODDITIES_SKIP __attribute__((no_instrument_function))

/* Returns true in a function that the compiler has added to the program's own. Never here. */
ODDITIES_SKIP static inline bool is_thunk(uintptr_t pc)
{
	(void)pc;
	return false;
}

/* Returns true where libc describes its stack wrongly. No such place is known. */
ODDITIES_SKIP static inline bool is_described_wrongly(uintptr_t pc)
{
	(void)pc;
	return false;
}

/* Number of instructions in functions of the kernel's vdso without a description. */
#define VDSO_UNDESCRIBED 0

#endif
