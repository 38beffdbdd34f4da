/* SPDX-License-Identifier: MIT
 *
 * oddities.h - code that is not as tests of the walker would have it.
 */
#ifndef TESTS_ARCH_ODDITIES_H
#define TESTS_ARCH_ODDITIES_H

#include <stdbool.h>
#include <stdint.h>

#define ODDITIES_SKIP __attribute__((no_instrument_function))

/* A function that the compiler has added to the program's own. Here there are none. */
ODDITIES_SKIP static inline bool is_thunk(uintptr_t pc)
{
	(void)pc;
	return false;
}

/* Where libc itself says something wrong of its stack. None is known. */
ODDITIES_SKIP static inline bool is_described_wrongly(uintptr_t pc)
{
	(void)pc;
	return false;
}

/* How many instructions in functions of the kernel's vdso nothing describes. */
#define VDSO_UNDESCRIBED 0

#endif
