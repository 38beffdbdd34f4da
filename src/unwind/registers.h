/* SPDX-License-Identifier: MIT
 *
 * registers.h - the registers of a frame, as far as they are known.
 */
#ifndef DWELL_UNWIND_REGISTERS_H
#define DWELL_UNWIND_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* ARCH_FRAME_PC, ARCH_FRAME_LINK and ARCH_FRAME_SP are always known. */
struct registers {
	uintptr_t value[ARCH_FRAME_REGISTERS];
	uint64_t known; /* a bit for each */
	/* true: the program counter is that of an instruction about to be executed, not a return
	 * address, which may already belong to the next function. */
	bool exact;
};

#define REGISTERS_ALL ((UINT64_C(1) << ARCH_FRAME_REGISTERS) - 1)

/* Reads the registers of interrupted code. */
static inline void registers_of(struct registers *registers, const ucontext_t *uc)
{
	arch_frame_registers(registers->value, uc);
	registers->known = REGISTERS_ALL;
	registers->exact = true;
}

static inline bool registers_know(const struct registers *registers, unsigned number)
{
	return registers->known >> number & 1;
}

/* Returns the address of the call or of the interrupted instruction. */
static inline uintptr_t registers_lookup(const struct registers *registers)
{
	return registers->value[ARCH_FRAME_PC] - !registers->exact;
}

#endif
