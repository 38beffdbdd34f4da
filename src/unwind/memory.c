/* SPDX-License-Identifier: MIT */
#include "unwind/memory.h"

#include "unwind/objects.h"

/* At most the size of any page: if one address of it can be read, all can. */
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

/* A frame may be larger than a page. This many pages are probed for it, since each word behind it
 * would cost a read() otherwise. */
#define PAGES_BETWEEN 32

/* Extends `stack` to the page of an address, unless that is far away or not readable. */
static void reach(struct memory *memory, uintptr_t address)
{
	uintptr_t page = address & ~(PAGE - 1);

	if (!memory->probe || page < memory->stack.end ||
	    page - memory->stack.end > PAGES_BETWEEN * PAGE)
		return;
	while (memory->stack.end < page && memory->probe(memory->stack.end))
		memory->stack.end += PAGE;
}

/* Returns true if `stack` may grow by the page of an address, once that can be read. */
static bool is_next(struct memory *memory, uintptr_t address)
{
	if (!memory->own || memory->moved)
		return memory->own;
	reach(memory, address);
	return (address & ~(PAGE - 1)) == memory->stack.end;
}

static void grow(struct memory *memory, uintptr_t address)
{
	uintptr_t page = address & ~(PAGE - 1);

	if (memory->moved)
		memory->stack = (struct window){ page, page + PAGE, 0 };
	else
		memory->stack.end += PAGE;
	memory->moved = false;
}

/* Probes a word. One that crosses into the next page is not worth a second probe. */
static bool probe(struct memory *memory, uintptr_t address, uintptr_t *word)
{
	if (!memory->probe || address % sizeof(*word) || !memory->probe(address))
		return false;
	*word = window_word(&(struct window){ 0 }, address);
	return true;
}

bool memory_far_word(struct memory *memory, uintptr_t address, uintptr_t *word)
{
	struct window window = memory_window(memory, address);
	bool next;

	if (window_holds(&window, address, sizeof(*word))) {
		*word = window_word(&window, address);
		return true;
	}
	next = is_next(memory, address);
	if (!(next && probe(memory, address, word)) &&
	    !memory->read(memory->context, address, word, sizeof(*word)))
		return false;
	if (next)
		grow(memory, address);
	return true;
}
