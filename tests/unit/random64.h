/* SPDX-License-Identifier: MIT
 *
 * random64.h - the same numbers in every run, so that a failure is reproducible (splitmix64).
 */
#ifndef DWELL_TESTS_RANDOM64_H
#define DWELL_TESTS_RANDOM64_H

#include <stdint.h>

static inline uint64_t random64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Returns small numbers as often as large ones: finds edges at every magnitude. */
static inline uint64_t random64_any_size(uint64_t *state)
{
	uint64_t number = random64(state);

	return number >> random64(state) % 64;
}

static inline uint64_t random64_below(uint64_t *state, uint64_t limit)
{
	return random64(state) % limit;
}

#endif
