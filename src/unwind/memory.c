/* SPDX-License-Identifier: MIT */
#include "unwind/memory.h"

#include "unwind/objects.h"

/* Not larger than any page: what can be read at one address of it can be read at all. */
#define PAGE ((uintptr_t)4096)

struct window memory_window(const struct memory *memory, uintptr_t address)
{
	const struct mapping *mapping;
	const struct window none = { 0 };

	if (!memory->table)
		return none;
	mapping = table_find(memory->table, address);
	if (!mapping || address >= mapping->direct_end)
		return none;
	return (struct window){ mapping->start, mapping->direct_end, mapping->shift };
}

__attribute__((no_sanitize("address"))) static void copy(uint8_t *to, uintptr_t from, size_t size)
{
	const volatile uint8_t *byte = (const volatile uint8_t *)from;

	for (size_t i = 0; i < size; i++)
		to[i] = byte[i];
}

bool memory_bytes(const struct memory *memory, uintptr_t address, void *to, size_t size)
{
	struct window window = memory_window(memory, address);

	if (!window_holds(&window, address, size))
		return memory->read(memory->context, address, to, size);
	copy(to, address + window.shift, size);
	return true;
}

/* The kernel has read a word on this page. */
static void grow(struct memory *memory, uintptr_t address)
{
	uintptr_t page = address & ~(PAGE - 1);

	if (!memory->own)
		return;
	if (memory->moved) {
		memory->stack = (struct window){ page, page + PAGE, 0 };
		memory->moved = false;
	} else if (page == memory->stack.end) {
		memory->stack.end += PAGE;
	}
}

bool memory_far_word(struct memory *memory, uintptr_t address, uintptr_t *word)
{
	struct window window = memory_window(memory, address);

	if (window_holds(&window, address, sizeof(*word))) {
		*word = window_word(&window, address);
		return true;
	}
	if (!memory->read(memory->context, address, word, sizeof(*word)))
		return false;
	grow(memory, address);
	return true;
}
