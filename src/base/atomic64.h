/* SPDX-License-Identifier: MIT
 *
 * atomic64.h - 64-bit numbers that threads, processes and signal handlers change concurrently. Uses
 * the older builtins: with the newer ones, gcc calls a library on 32-bit CPUs where it may use
 * general registers alone. Async-signal-safe.
 */
#ifndef DWELL_BASE_ATOMIC64_H
#define DWELL_BASE_ATOMIC64_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the previous value. */
static inline uint64_t atomic64_add(uint64_t *number, uint64_t more)
{
	return __sync_fetch_and_add(number, more);
}

/* Returns true if the number was `old`, and so is `new` now. */
static inline bool atomic64_change(uint64_t *number, uint64_t old, uint64_t new)
{
	return __sync_bool_compare_and_swap(number, old, new);
}

static inline uint64_t atomic64_get(uint64_t *number)
{
	return __sync_fetch_and_add(number, 0);
}

/* The same, by a load where that is whole: what was written before the number is seen as well. */
static inline uint64_t atomic64_load(uint64_t *number)
{
	return sizeof(void *) == sizeof(*number) ? __atomic_load_n(number, __ATOMIC_ACQUIRE)
						 : atomic64_get(number);
}

static inline void atomic64_set(uint64_t *number, uint64_t value)
{
	uint64_t old;

	do
		old = *(volatile uint64_t *)number;
	while (!__sync_bool_compare_and_swap(number, old, value));
}

#endif
