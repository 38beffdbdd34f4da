/* SPDX-License-Identifier: MIT
 *
 * memory.h - the memory in which a stack is walked: that of this process, seen from a signal
 * handler; or that of another, given by a copy of the stack and the ELF files.
 *
 * Only memory that is known to be readable is read directly: the walked stack, as far as the caller
 * or the kernel vouches for it, and the mappings of the table that the caller has vouched for. All
 * other memory goes through read(). All functions are async-signal-safe if read() is.
 */
#ifndef DWELL_UNWIND_MEMORY_H
#define DWELL_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eh_table;

/* Addresses start <= a < end of the target can be read here, at a + shift. */
struct window {
	uintptr_t start, end;
	uintptr_t shift;
};

struct memory {
	/* Copies size bytes, all or none; must not fault at any address. */
	bool (*read)(void *context, uintptr_t address, void *to, size_t size);
	void *context;
	struct window stack;          /* the known part of the stack; start == end: none */
	const struct eh_table *table; /* set by unwind_walk() */
	/* The stack is the calling thread's: a page of it that read() could read stays readable
	 * while the thread is here, so `stack` may grow by it. */
	bool own;
	/* Returns true if a word of such a page can be read, faster than read(). NULL: use
	 * read(). */
	bool (*probe)(uintptr_t address);
	bool moved; /* `stack` may start again at the next page that is read */
};

/* Implements read() for the memory of this process, by a system call; context is not used. */
bool memory_read_self(void *context, uintptr_t address, void *to, size_t size);

/* Implements probe() for it, at a tenth of the cost of read(). The result is valid only for the
 * moment, so use it for memory that no other thread unmaps. works: true if this kernel, or its
 * emulator, supports it at all. */
bool memory_probe_self(uintptr_t address);
bool memory_probe_works(void);

/* Returns the part of the target around an address that can be read directly; empty: none. */
struct window memory_window(const struct memory *memory, uintptr_t address);

bool memory_bytes(const struct memory *memory, uintptr_t address, void *to, size_t size);

/* Reads a word that is not in `stack`. */
bool memory_far_word(struct memory *memory, uintptr_t address, uintptr_t *word);

static inline bool window_holds(const struct window *window, uintptr_t address, size_t size)
{
	return address >= window->start && address <= window->end && window->end - address >= size;
}

/* Returns the word at an address of the stack. Not sanitized: the sanitizers know which parts of a
 * stack are variables, and a walker reads between them. */
__attribute__((no_sanitize("address"))) static inline uintptr_t
window_word(const struct window *window, uintptr_t address)
{
	struct word {
		uintptr_t value;
	} __attribute__((packed, may_alias));

	return ((const struct word *)(address + window->shift))->value;
}

static inline bool memory_word(struct memory *memory, uintptr_t address, uintptr_t *word)
{
	if (__builtin_expect(!window_holds(&memory->stack, address, sizeof(*word)), false))
		return memory_far_word(memory, address, word);
	*word = window_word(&memory->stack, address);
	return true;
}

#endif
