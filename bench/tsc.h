/* SPDX-License-Identifier: MIT
 *
 * tsc.h - the cheapest clock there is, in units of its own; ns_per_tsc() in probe.c tells them.
 */
#ifndef DWELL_BENCH_TSC_H
#define DWELL_BENCH_TSC_H

#include <stdint.h>

#if __has_builtin(__builtin_ia32_rdtsc)

static inline uint64_t tsc_now(void)
{
	return __builtin_ia32_rdtsc();
}

#else

#include <time.h>

static inline uint64_t tsc_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

#endif

#endif
