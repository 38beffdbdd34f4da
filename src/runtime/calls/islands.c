/* SPDX-License-Identifier: MIT */
#include "islands.h"

#include "base/export.h"

#define ISLANDS_MAX 4096

/* The entries in use come first, but for those that were removed: their end is 0. Written by one
 * thread at a time, read without a lock. */
static struct runtime_island islands[ISLANDS_MAX];
static uint32_t count;

EXPORT bool dwell_calls_island(const struct runtime_island *island)
{
	uint32_t i = 0;

	while (i < count && islands[i].end)
		i++;
	if (i == ISLANDS_MAX)
		return false;
	islands[i].start = island->start;
	islands[i].header = island->header;
	islands[i].map = island->map;
	__atomic_store_n(&islands[i].end, island->end, __ATOMIC_RELEASE);
	if (i == count)
		__atomic_store_n(&count, i + 1, __ATOMIC_RELEASE);
	return true;
}

EXPORT void dwell_calls_no_island(const struct runtime_island *island)
{
	for (uint32_t i = 0; i < count; i++)
		if (islands[i].start == island->start)
			__atomic_store_n(&islands[i].end, 0, __ATOMIC_RELEASE);
}

bool islands_find(uintptr_t address, struct runtime_island *island)
{
	uint32_t all = __atomic_load_n(&count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < all; i++) {
		uintptr_t end = __atomic_load_n(&islands[i].end, __ATOMIC_ACQUIRE);

		if (address >= islands[i].start && address < end) {
			*island = islands[i];
			return true;
		}
	}
	return false;
}
