/* SPDX-License-Identifier: MIT
 *
 * plt_riscv64.h - entries of procedure linkage tables on riscv64, for the stack walker and, on
 * whichever CPU they run, for the tools.
 */
#ifndef DWELL_ARCH_PLT_RISCV64_H
#define DWELL_ARCH_PLT_RISCV64_H

#include <stdbool.h>
#include <stdint.h>

/* Returns an instruction of four bytes. */
static inline uint32_t arch_word(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

#define ARCH_PLT_JUMP_BYTES 12

/*
 * Finds the slot that an entry at `address` jumps through. Returns false if this is not one:
 *
 *	auipc t3, slot
 *	ld    t3, slot(t3)
 *	jalr  t1, t3
 *	nop
 */
static inline bool arch_plt_jumps(const uint8_t *code, uint64_t address, uint64_t *slot)
{
	uint32_t auipc = arch_word(code), ld = arch_word(code + 4), jalr = arch_word(code + 8);

	if ((auipc & 0xfff) != 0xe17 || (ld & 0xfffff) != 0xe3e03 || jalr != 0x000e0367)
		return false;
	*slot = address + (uint64_t)(int64_t)(int32_t)(auipc & 0xfffff000) +
		(uint64_t)(int64_t)((int32_t)ld >> 20);
	return true;
}

#endif
