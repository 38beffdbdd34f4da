/* SPDX-License-Identifier: MIT
 *
 * ticks.h - the time counter of riscv64.
 */
#ifndef DWELL_ARCH_TICKS_H
#define DWELL_ARCH_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define ARCH_VDSO_CLOCK "__vdso_clock_gettime"

static inline uint64_t arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks));
	return ticks;
}

/* Returns true: the architecture has one constant rate, equal on all cores, and the kernel's own
 * clock is this counter. */
static inline bool arch_ticks_steady(void)
{
	return true;
}

/* Returns ticks that pass in at most 10 ms. The rate is for the kernel alone; it is 1 MHz or more.
 */
static inline uint64_t arch_ticks_brief(void)
{
	return 10000;
}

#endif
