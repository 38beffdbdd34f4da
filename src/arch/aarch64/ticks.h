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

/* Returns the rate of the counter; 0: it is unknown. */
static inline uint64_t arch_ticks_frequency(void)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency;
}

/* Returns true: the architecture has one counter for all cores, with the constant rate of
 * cntfrq_el0, which firmware may have forgotten to write. */
static inline bool arch_ticks_steady(void)
{
	return arch_ticks_frequency() != 0;
}

/* Returns ticks that pass in at most 10 ms: counters have a rate of 1 MHz to 1 GHz. */
static inline uint64_t arch_ticks_brief(void)
{
	return arch_ticks_frequency() / 128;
}

#endif
