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

struct dwarf_eh_bases;

/* Finds the description of a function. libgcc exports it for other runtimes, without a header. */
const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);

/* Returns true where libc describes nothing, although code runs there: __memmove_chk() of
 * glibc 2.41 falls through the padding behind it into memmove(). libgcc knows no caller, and our
 * walk is right but in doubt. */
ODDITIES_SKIP static inline bool is_described_wrongly(uintptr_t pc)
{
	const uint8_t *code = (const uint8_t *)pc;
	void *bases[3];

	while (*code == 0x66 || *code == 0x2e)
		code++;
	return code[0] == 0x0f && code[1] == 0x1f &&
	       !_Unwind_Find_FDE((void *)pc, (struct dwarf_eh_bases *)bases);
}

/* Number of instructions in functions of the kernel's vdso without a description. */
#define VDSO_UNDESCRIBED 0

#endif
