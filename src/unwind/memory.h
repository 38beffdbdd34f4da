/* SPDX-License-Identifier: MIT
 *
 * memory.h - the memory that a stack is walked in: this process's, seen from a signal handler; or
 * that of another, of which there is a copy of the stack and the ELF files.
 *
 * Nothing here is read that is not known to be readable. Known are the walked stack, as far as the
 * caller or the kernel says so, and the mappings of the table that the caller has vouched for;
 * all else is asked for by read(). All functions are async-signal-safe if read() is.
 */
#ifndef DWELL_UNWIND_MEMORY_H
#define DWELL_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table;

/* Addresses start <= a < end of the target can be read here, at a + shift. */
struct window {
	uintptr_t start, end;
	uintptr_t shift;
};

struct memory {
	/* Copies size bytes, all or none; must not fault, whatever the address. */
	bool (*read)(void *context, uintptr_t address, void *to, size_t size);
	void *context;
	struct window stack;       /* what is known of the stack; start == end: nothing */
	const struct table *table; /* set by unwind_walk() */
	/*
	 * The stack is that of the calling thread: a page of it that read() could read will stay
	 * while the thread is here, so `stack` may grow by it.
	 */
	bool own;
	/* Whether a word of such a page can be read, for less than read() takes. NULL: read()
	 * tells. */
	bool (*probe)(uintptr_t address);
	bool moved; /* `stack` may begin anew at the next page that is read */
};

/* read() for the memory of this process, by a system call; context is not used. */
bool memory_read_self(void *context, uintptr_t address, void *to, size_t size);

/* probe() for it: a tenth of what read() takes. Answers only of now, so it is good for memory that
 * nobody else unmaps. works: whether this kernel, or what stands in for it, answers at all. */
bool memory_probe_self(uintptr_t address);
bool memory_probe_works(void);

/* The part of the target around an address that can be read directly; empty: none. */
struct window memory_window(const struct memory *memory, uintptr_t address);

bool memory_bytes(const struct memory *memory, uintptr_t address, void *to, size_t size);

/* A word that is not in `stack`. */
bool memory_far_word(struct memory *memory, uintptr_t address, uintptr_t *word);

static inline bool window_holds(const struct window *window, uintptr_t address, size_t size)
{
	return address >= window->start && address <= window->end && window->end - address >= size;
}

/*
 * The word at an address of the stack. The sanitizers know which parts of a stack are variables,
 * and a walker reads between them.
 */
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
