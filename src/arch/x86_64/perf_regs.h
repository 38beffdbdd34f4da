/* SPDX-License-Identifier: MIT
 *
 * perf_regs.h - how perf_event_open(2) hands out the registers of x86-64.
 */
#ifndef DWELL_ARCH_PERF_REGS_H
#define DWELL_ARCH_PERF_REGS_H

#include <asm/perf_regs.h>
#include <stdint.h>

#include "frame.h"

/* Of perf_event_attr.sample_regs_user: all that a walk can use, which is not the flags and segments
 * between rip and r8. */
#define ARCH_PERF_BIT(name) (UINT64_C(1) << PERF_REG_X86_##name)
#define ARCH_PERF_REGS                                                                             \
	(ARCH_PERF_BIT(AX) | ARCH_PERF_BIT(BX) | ARCH_PERF_BIT(CX) | ARCH_PERF_BIT(DX) |           \
	 ARCH_PERF_BIT(SI) | ARCH_PERF_BIT(DI) | ARCH_PERF_BIT(BP) | ARCH_PERF_BIT(SP) |           \
	 ARCH_PERF_BIT(IP) | UINT64_C(0xff) << PERF_REG_X86_R8)

/* A sample has a word for each bit, the lowest first: which one is the register of a DWARF number.
 */
static const uint8_t arch_perf_word[ARCH_FRAME_REGISTERS] = { 0,  3,  2,  1,  4,  5,  6,  7, 9,
							      10, 11, 12, 13, 14, 15, 16, 8 };

/* What perf calls a process whose registers these are; others are of 32 bits. */
#define ARCH_PERF_ABI 2

#endif
