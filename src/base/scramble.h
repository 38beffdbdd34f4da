/* SPDX-License-Identifier: MIT
 *
 * scramble.h - turns numbers that differ a little into numbers that differ a lot. Enough to keep
 * things out of step with each other; not random numbers for anything else. Async-signal-safe.
 */
#ifndef DWELL_BASE_SCRAMBLE_H
#define DWELL_BASE_SCRAMBLE_H

#include <stdint.h>

/* Every bit of the answer depends on every bit of n; different n have different answers. */
static inline uint32_t scramble(uint32_t n)
{
	n ^= n >> 16;
	n *= 0x7feb352dU;
	n ^= n >> 15;
	n *= 0x846ca68bU;
	return n ^ n >> 16;
}

#endif
