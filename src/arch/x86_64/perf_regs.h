/* SPDX-License-Identifier: MIT
 *
 * perf_regs.h - how perf_event_open(2) hands out the registers of x86-64.
 */
#ifndef DWELL_ARCH_PERF_REGS_H
#define DWELL_ARCH_PERF_REGS_H

#include <asm/perf_regs.h>
#include <stdint.h>

#include "frame.h"

/* Bits of perf_event_attr.sample_regs_user: all registers that a walk can use, without the flags
 * and segments between rip and r8. */
#define ARCH_PERF_BIT(name) (UINT64_C(1) << PERF_REG_X86_##name)
#define ARCH_PERF_REGS                                                                             \
	(ARCH_PERF_BIT(AX) | ARCH_PERF_BIT(BX) | ARCH_PERF_BIT(CX) | ARCH_PERF_BIT(DX) |           \
	 ARCH_PERF_BIT(SI) | ARCH_PERF_BIT(DI) | ARCH_PERF_BIT(BP) | ARCH_PERF_BIT(SP) |           \
	 ARCH_PERF_BIT(IP) | UINT64_C(0xff) << PERF_REG_X86_R8)

/* Index in a sample of the register of a DWARF number. A sample has a word for each bit, the lowest
 * first.
 */
static const uint8_t arch_perf_word[ARCH_FRAME_REGISTERS] = { 0,  3,  2,  1,  4,  5,  6,  7, 9,
							      10, 11, 12, 13, 14, 15, 16, 8 };

/* perf's name for a process with these registers; others have 32 bits. */
#define ARCH_PERF_ABI 2

#endif
