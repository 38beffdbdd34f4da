/* SPDX-License-Identifier: MIT
 *
 * tables.h - the linkage tables of this process, for programs that tests attach to.
 */
#ifndef DWELL_TESTS_PROG_TABLES_H
#define DWELL_TESTS_PROG_TABLES_H

#include <link.h>
#include <string.h>

/* Adds up the PLT's entries of an object. */
static inline unsigned long tables_of(const struct link_map *map, unsigned long sum)
{
	const ElfW(Rela) *table = NULL;
	size_t size = 0;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			table = (const ElfW(Rela) *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_PLTRELSZ)
			size = entry->d_un.d_val;
	}
	for (size_t i = 0; table && i < size / sizeof(*table); i++)
		sum = sum * 31 + *(unsigned long *)(map->l_addr + table[i].r_offset);
	return sum;
}

/* Returns a sum of the PLT's entries of all objects but dwell's. */
static inline unsigned long tables_sum(void)
{
	unsigned long sum = 0;

	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		if (!strstr(map->l_name, "dwell") && !strstr(map->l_name, "vdso"))
			sum = tables_of(map, sum);
	return sum;
}

#endif
