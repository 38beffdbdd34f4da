/* SPDX-License-Identifier: MIT
 *
 * peek.h - reads memory of this process that may not be there, in a handler: a page is probed by a
 * system call the first time that a walk touches it, and read directly from then on.
 *
 * That is for memory which the interrupted thread keeps alive, as its frames and their code are. A
 * pointer that is half written leads anywhere, and is caught by the probe.
 */
#ifndef DWELL_INTERPRETER_PEEK_H
#define DWELL_INTERPRETER_PEEK_H

#include "unwind/memory.h"

#define PEEK_PAGE  ((uintptr_t)4096) /* at most the size of any page */
#define PEEK_PAGES 64                /* remembered; a power of two */

struct peek {
	uintptr_t pages[PEEK_PAGES]; /* that can be read, each in its place; 0, which is never one:
					none */
};

static inline bool peek_page(struct peek *peek, uintptr_t page)
{
	uintptr_t *place = &peek->pages[page / PEEK_PAGE % PEEK_PAGES];

	if (!page)
		return false;
	if (*place == page)
		return true;
	if (!memory_probe_self(page))
		return false;
	*place = page;
	return true;
}

/* Returns true if these bytes, at most a page of them, can be read. */
static inline bool peek_can(struct peek *peek, uintptr_t address, size_t size)
{
	uintptr_t first = address & ~(PEEK_PAGE - 1),
		  last = (address + size - 1) & ~(PEEK_PAGE - 1);

	return first <= last && peek_page(peek, first) && (first == last || peek_page(peek, last));
}

/* Returns a word that can be read. */
static inline uintptr_t peek_word(uintptr_t address)
{
	return window_word(&(struct window){ 0 }, address);
}

/* Returns a byte of a word that can be read; all supported CPUs are little-endian. */
static inline uint8_t peek_byte(uintptr_t address)
{
	uintptr_t place = address % sizeof(uintptr_t);

	return (uint8_t)(peek_word(address - place) >> place * 8);
}

#endif
