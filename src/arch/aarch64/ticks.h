/* SPDX-License-Identifier: MIT
 *
 * ticks.h - the virtual counter of aarch64.
 */
#ifndef DWELL_ARCH_TICKS_H
#define DWELL_ARCH_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define ARCH_VDSO_CLOCK "__kernel_clock_gettime"

static inline uint64_t arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* Returns true: the architecture has one counter for all cores, with the constant rate of
 * cntfrq_el0, which firmware may have forgotten to write. */
static inline bool arch_ticks_steady(void)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency != 0;
}

#endif
