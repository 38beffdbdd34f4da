/* SPDX-License-Identifier: MIT
 *
 * trap.h - single-stepping.
 */
#ifndef TESTS_ARCH_TRAP_H
#define TESTS_ARCH_TRAP_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

/* Makes the CPU trap after each instruction from here on, or stops that. */
static inline void trap(bool on)
{
	unsigned flags = __builtin_ia32_readeflags_u32();

	__builtin_ia32_writeeflags_u32(on ? flags | TRAP_FLAG : flags & ~(unsigned)TRAP_FLAG);
}

/* Raises a signal here, and not in a function. */
#define TRAP_HERE() __asm__ volatile("int3")

/* Does the same for interrupted code, once its handler returns. */
static inline void trap_context(ucontext_t *uc, bool on)
{
	if (on)
		uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* Returns true if the instruction calls a function. */
static inline bool trap_is_call(const uint8_t *code)
{
	while (*code == 0xf2 || *code == 0xf3 || *code == 0x3e || *code == 0x65)
		code++;
	return code[0] == 0xe8 || (code[0] == 0xff && (code[1] >> 3 & 7) == 2);
}

#endif
