/* SPDX-License-Identifier: MIT
 *
 * padding.h - code between functions of x86, for tests of the walker.
 */
#ifndef TESTS_ARCH_PADDING_H
#define TESTS_ARCH_PADDING_H

#include <stdbool.h>
#include <stdint.h>

struct dwarf_eh_bases;

/* Finds the description of a function. libgcc exports it for other runtimes, without a header. */
const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);

/* Returns true where libc describes nothing, although code runs there: __memmove_chk() of
 * glibc 2.41 falls through the padding behind it into memmove(). libgcc knows no caller, and our
 * walk is right but in doubt. */
__attribute__((no_instrument_function)) static inline bool is_padding(uintptr_t pc)
{
	const uint8_t *code = (const uint8_t *)pc;
	void *bases[3];

	while (*code == 0x66 || *code == 0x2e)
		code++;
	return (code[0] == 0x90 || (code[0] == 0x0f && code[1] == 0x1f)) &&
	       !_Unwind_Find_FDE((void *)pc, (struct dwarf_eh_bases *)bases);
}

#endif
