/* SPDX-License-Identifier: MIT
 *
 * disassembly.h - how capstone is told that code is that of x86-64, and where its jumps lead to.
 */
#ifndef DWELL_ARCH_DISASSEMBLY_H
#define DWELL_ARCH_DISASSEMBLY_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

#define ARCH_DISASSEMBLY_ARCH CS_ARCH_X86
#define ARCH_DISASSEMBLY_MODE CS_MODE_64

/* Of a jump or a call, the address that it leads to. False: that is known only when it runs. */
static inline bool arch_disassembly_target(const cs_insn *instruction, uint64_t *target)
{
	const cs_x86 *detail = &instruction->detail->x86;

	if (detail->op_count != 1 || detail->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64_t)detail->operands[0].imm;
	return true;
}

#endif
