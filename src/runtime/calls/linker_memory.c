/* SPDX-License-Identifier: MIT */
#include "linker_memory.h"

#include <string.h>

/* The linker keeps the block for ever; another version of it may free it. */
static struct {
	void *(*calloc)(size_t, size_t);
	void (*free)(void *);
	size_t plt_entries;
	_Alignas(max_align_t) char block[1024];
	bool is_taken; /* or is not to be taken any more */
} linker;

static bool is_for_plt(size_t count, size_t size)
{
	return size && size == linker.plt_entries && count >= 4 * sizeof(void *) &&
	       count <= sizeof(linker.block) / size;
}

static void *linker_calloc(size_t count, size_t size)
{
	if (linker.is_taken || !linker.free || !is_for_plt(count, size))
		return linker.calloc(count, size);
	linker.is_taken = true;
	return linker.block;
}

static void linker_free(void *block)
{
	if (block != linker.block)
		linker.free(block);
}

void linker_memory_of_plt(size_t entries)
{
	linker.plt_entries = entries;
}

bool linker_memory_has(const char *name)
{
	return strcmp(name, "malloc") == 0 || strcmp(name, "calloc") == 0 ||
	       strcmp(name, "realloc") == 0 || strcmp(name, "free") == 0;
}

uintptr_t linker_memory_bind(const char *name, uintptr_t found)
{
	if (strcmp(name, "calloc") == 0) {
		linker.calloc = (void *(*)(size_t, size_t))found;
		return (uintptr_t)linker_calloc;
	}
	if (strcmp(name, "free") == 0) {
		linker.free = (void (*)(void *))found;
		return (uintptr_t)linker_free;
	}
	return found;
}

void linker_memory_end(void)
{
	linker.is_taken = true;
}
