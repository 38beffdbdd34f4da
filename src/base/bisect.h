/* SPDX-License-Identifier: MIT
 *
 * bisect.h - the binary search of all tables. Reads nothing but what `key_at` reads, so it may run
 * wherever that may.
 */
#ifndef DWELL_BASE_BISECT_H
#define DWELL_BASE_BISECT_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many of `count` keys, which ascend, are at most `key`. Always inline, and key_at()
 * with it: a handler may make no call that the linker has to bind. */
__attribute__((always_inline)) static inline size_t
bisect(uint64_t (*key_at)(const void *in, size_t i), const void *in, size_t count, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (key_at(in, middle) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
