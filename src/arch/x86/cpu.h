/* SPDX-License-Identifier: MIT
 *
 * cpu.h - facts for the tools about code of both i386 and x86-64.
 */
#ifndef DWELL_ARCH_X86_CPU_H
#define DWELL_ARCH_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../cpu.h"

/* Finds where a jump or call leads that names its target. */
static inline bool x86_jump_target(const cs_insn *instruction, uint64_t *target)
{
	const cs_x86 *detail = &instruction->detail->x86;

	if (detail->op_count != 1 || detail->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64_t)detail->operands[0].imm;
	return true;
}

/* Returns the size of the landing pad that a stub begins with, endbr32 or endbr64 by its last
 * byte; 0: none. */
static inline size_t x86_landing_pad(const struct arch_stub *stub, uint8_t last)
{
	const uint8_t pad[] = { 0xf3, 0x0f, 0x1e, last };

	return stub->size >= sizeof(pad) && memcmp(stub->code, pad, sizeof(pad)) == 0 ? sizeof(pad)
										      : 0;
}

#endif
