/* SPDX-License-Identifier: MIT */
#include "link_maps.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

/* The ELF header of the library that contains this code. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

const ElfW(Dyn) * link_maps_program(void)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	const ElfW(Dyn) *dynamic = NULL;
	size_t count = getauxval(AT_PHNUM);
	uintptr_t bias = 0;

	for (size_t i = 0; i < count; i++)
		if (headers[i].p_type == PT_PHDR)
			bias = (uintptr_t)headers - headers[i].p_vaddr;
	for (size_t i = 0; i < count; i++)
		if (headers[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(bias + headers[i].p_vaddr);
	return dynamic;
}

/* Follows the pointer to the list that the linker stores in the program's dynamic section. */
const struct link_map *link_maps_first(void)
{
	const ElfW(Dyn) *entry = link_maps_program();

	while (entry && entry->d_tag != DT_NULL && entry->d_tag != DT_DEBUG)
		entry++;
	if (!entry || entry->d_tag != DT_DEBUG || !entry->d_un.d_ptr)
		return NULL;
	return ((const struct r_debug *)entry->d_un.d_ptr)->r_map;
}

const struct link_map *link_maps_own(void)
{
	const struct link_map *map = link_maps_first();

	while (map && map->l_addr != (uintptr_t)&__ehdr_start)
		map = map->l_next;
	return map;
}
