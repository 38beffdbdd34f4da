/* SPDX-License-Identifier: MIT
 *
 * joined_library.c - see joined.h.
 */
#include "joined.h"

static inline __attribute__((always_inline)) unsigned turn(unsigned turns, unsigned seed)
{
	for (unsigned i = 0; i < turns; i++) {
		seed = seed * 1664525u + 1013904223u;
		__asm__ volatile("" : "+r"(seed));
	}
	return seed;
}

unsigned joined_hot(unsigned turns)
{
	return turn(turns, 1);
}

unsigned joined_other(unsigned turns) __attribute__((alias("joined_hot")));

unsigned joined_cool(unsigned turns)
{
	return turn(turns, 2);
}

unsigned joined_idle(void)
{
	return 0;
}

unsigned joined_uncounted(unsigned turns)
{
	return turn(turns, 3);
}
