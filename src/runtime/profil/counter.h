/* SPDX-License-Identifier: MIT
 *
 * counter.h - adds to a counter in the program's memory: 16 or 32 bits, wrapping or saturating;
 * atomically, since two threads may tick at once.
 *
 * All functions are async-signal-safe. The memory is the program's: it may be misaligned (BSD's
 * buffer is a char *) or unmapped, so each function probes it first, unless it is known to be
 * steady, and returns false if it is not writable. One race is left open: another thread may unmap
 * it between the probe and the addition. A misaligned counter cannot be updated atomically on every
 * CPU, and is not.
 */
#ifndef DWELL_RUNTIME_PROFIL_COUNTER_H
#define DWELL_RUNTIME_PROFIL_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/process/probe.h"
#include "steady.h"

static inline bool counter_aligned(const void *at, size_t size)
{
	return ((uintptr_t)at & (size - 1)) == 0;
}

static inline bool counter_usable(const void *at, size_t size)
{
	if (steady_holds(at, size))
		return true;
	/* A misaligned counter can begin on one page and end on the next. */
	return probe_writable(at) &&
	       (counter_aligned(at, size) || probe_writable((const char *)at + size - 1));
}

/* Returns old + n, at most the limit; a counter that is above it already stays. */
static inline uint64_t counter_limited_sum(uint64_t old, uint64_t n, uint64_t limit)
{
	if (old >= limit)
		return old;
	return n >= limit - old ? limit : old + n;
}

/* Adds modulo 2^16: 65535 + 1 = 0. */
static inline bool counter_add_wrapping16(void *at, uint64_t n)
{
	uint16_t value;

	if (!counter_usable(at, sizeof(value)))
		return false;
	memcpy(&value, at, sizeof(value));
	if (!counter_aligned(at, sizeof(value))) {
		value = (uint16_t)(value + n);
		memcpy(at, &value, sizeof(value));
		return true;
	}
	/* As below: compilers for some CPUs call libatomic for a plain addition. */
	while (!__atomic_compare_exchange_n((uint16_t *)at, &value, (uint16_t)(value + n), false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
	return true;
}

/* Adds up to a limit; *sum: the new value of the counter. */
#define COUNTER_ADD_LIMITED(name, type)                                                            \
	static inline bool name(void *at, uint64_t n, type limit, type *sum)                       \
	{                                                                                          \
		type old;                                                                          \
                                                                                                   \
		if (!counter_usable(at, sizeof(old)))                                              \
			return false;                                                              \
		memcpy(&old, at, sizeof(old));                                                     \
		if (!counter_aligned(at, sizeof(old))) {                                           \
			*sum = (type)counter_limited_sum(old, n, limit);                           \
			memcpy(at, sum, sizeof(*sum));                                             \
			return true;                                                               \
		}                                                                                  \
		do {                                                                               \
			*sum = (type)counter_limited_sum(old, n, limit);                           \
		} while (!__atomic_compare_exchange_n((type *)at, &old, *sum, false,               \
						      __ATOMIC_RELAXED, __ATOMIC_RELAXED));        \
		return true;                                                                       \
	}

COUNTER_ADD_LIMITED(counter_add_limited16, uint16_t)
COUNTER_ADD_LIMITED(counter_add_limited32, uint32_t)

#endif
