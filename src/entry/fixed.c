/* SPDX-License-Identifier: MIT */
#include "entry/fixed.h"

#include <errno.h>
#include <sys/mman.h>

#include "entry.h"
#include "sys.h"

#ifndef MAP_32BIT
#define MAP_32BIT 0x40
#endif

int fixed_begin(struct fixed *fixed, size_t count)
{
	size_t size = count * sizeof(uint64_t);
	void *start;

	*fixed = (struct fixed){ .is_ready = !count || !ARCH_ENTRY_LOW };
	if (fixed->is_ready)
		return 0;
	start = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1);
	if (sys_failed(start))
		return -ENOMEM;
	fixed->start = (uint64_t)(uintptr_t)start;
	fixed->size = size;
	fixed->is_ready = fixed->start + size <= ARCH_ENTRY_LOW;
	if (fixed->is_ready)
		return 0;
	fixed_drop(fixed);
	*fixed = (struct fixed){ 0 };
	return -ENOMEM;
}

uint64_t fixed_add(struct fixed *fixed, uint64_t address)
{
	uint64_t place = fixed->start + fixed->count++ * sizeof(address);

	if (!ARCH_ENTRY_LOW)
		return address;
	*(uint64_t *)(uintptr_t)place = address;
	return place;
}

int fixed_finish(const struct fixed *fixed)
{
	return fixed->size ? sys_mprotect((void *)(uintptr_t)fixed->start, fixed->size, PROT_READ)
			   : 0;
}

void fixed_drop(const struct fixed *fixed)
{
	if (fixed->size)
		sys_munmap((void *)(uintptr_t)fixed->start, fixed->size);
}
