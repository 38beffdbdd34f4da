/* SPDX-License-Identifier: MIT
 *
 * scramble.h - turns numbers that differ a little into numbers that differ a lot. Keeps things out
 * of step with each other; not meant as random numbers. Async-signal-safe.
 */
#ifndef DWELL_BASE_SCRAMBLE_H
#define DWELL_BASE_SCRAMBLE_H

#include <stdint.h>

/* Returns a number of which every bit depends on every bit of n; different n give different
 * results. */
static inline uint32_t scramble(uint32_t n)
{
	n ^= n >> 16;
	n *= 0x7feb352dU;
	n ^= n >> 15;
	n *= 0x846ca68bU;
	return n ^ n >> 16;
}

#endif
