/* SPDX-License-Identifier: MIT
 *
 * ticks.h - the time-stamp counter.
 */
#ifndef DWELL_ARCH_X86_TICKS_H
#define DWELL_ARCH_X86_TICKS_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t arch_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* Returns the "Invariant TSC" flag: CPUID leaf 0x80000007, bit 8 of edx. __get_cpuid() first checks
 * that the leaf exists. */
static inline bool arch_ticks_steady(void)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && edx & 1U << 8;
}

/* Returns ticks that pass in at most 10 ms: the counter has a rate of 1 GHz or more. */
static inline uint64_t arch_ticks_brief(void)
{
	return 10000000;
}

#endif
