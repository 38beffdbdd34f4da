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

/* An island begins with the head of an ELF object, its program headers behind it. */
int islands_report(see_object *see, void *argument)
{
	uint32_t all = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
	int result = 0;

	for (uint32_t i = 0; i < all && !result; i++) {
		const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)islands[i].start;
		struct dl_phdr_info info = { .dlpi_addr = islands[i].start, .dlpi_name = "" };

		if (!__atomic_load_n(&islands[i].end, __ATOMIC_ACQUIRE))
			continue;
		info.dlpi_phdr = (const ElfW(Phdr) *)(head + 1);
		info.dlpi_phnum = head->e_phnum;
		result = see(&info, sizeof(info), argument);
	}
	return result;
}
