/* SPDX-License-Identifier: MIT
 *
 * perf_regs.h - how perf_event_open(2) hands out the registers of riscv64.
 */
#ifndef DWELL_ARCH_PERF_REGS_H
#define DWELL_ARCH_PERF_REGS_H

#include <asm/perf_regs.h>
#include <stdint.h>

#include "frame.h"

/* Bits of perf_event_attr.sample_regs_user: pc and x1 to x31, as in frame.h. */
#define ARCH_PERF_REGS ((UINT64_C(1) << PERF_REG_RISCV_MAX) - 1)

/* Index in a sample of the register of a DWARF number. A sample has a word for each bit, the lowest
 * first.
 */
static const uint8_t arch_perf_word[ARCH_FRAME_REGISTERS] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/* perf's name for a process with these registers; others have 32 bits. */
#define ARCH_PERF_ABI 2

#endif
