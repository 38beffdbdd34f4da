/* SPDX-License-Identifier: MIT
 *
 * peek.h - reads memory that may not be there: that of this process, in a handler, or that of
 * another one.
 *
 * A page of this process is probed by a system call the first time that a walk touches it, and read
 * directly from then on. That is for memory which the interrupted thread keeps alive, as its frames
 * and their code are. A pointer that is half written leads anywhere, and is caught by the probe.
 * Pages of another process are copied, since they may change meanwhile.
 *
 * A probe takes longer than all reads of a frame. So pages that walks of the last milliseconds have
 * probed are remembered. A walk `trusts` them once it has seen that its pointers are in order: only
 * the frame that is being pushed or popped can have one that is stale.
 */
#ifndef DWELL_INTERPRETER_PEEK_H
#define DWELL_INTERPRETER_PEEK_H

#include "ticks.h"
#include "unwind/memory.h"

#define PEEK_PAGE  ((uintptr_t)4096)  /* at most the size of any page */
#define PEEK_PAGES 64                 /* remembered in a walk; a power of two, */
#define PEEK_KNOWN 128                /* places for those of a thread, for so long: */
#define PEEK_TRUST arch_ticks_brief() /* at most 10 ms */

/* Another process. */
struct peek_source {
	/* As of struct memory. */
	bool (*read)(void *context, uintptr_t address, void *to, size_t size);
	void *context;
	char (*copies)[PEEK_PAGE]; /* PEEK_PAGES of them */
};

/* Pages of this process that walks of a thread have probed. Starts as all zeroes. */
struct peek_known {
	uint64_t since;                 /* in the clock of peek_begin() */
	uintptr_t pages[PEEK_KNOWN][2]; /* two in each place, so that few are lost to another */
};

#define PEEK_SURE 8

struct peek {
	const struct peek_source *source; /* NULL: this process */
	struct peek_known *known;         /* NULL: none */
	bool trusts;
	struct window sure[PEEK_SURE]; /* parts of this process that stay readable */
	unsigned sure_count;
	uintptr_t pages[PEEK_PAGES]; /* that can be read, each in one of its two places; 0, which
					is never one: none */
};

/* Begins a walk, at a time of the recording's clock, which counts nanoseconds or the CPU's ticks.
 */
static inline void peek_begin(struct peek *peek, struct peek_known *known, uint64_t time)
{
	if (peek->source)
		return;
	/* In a sandbox without the CPU's counter, that clock stands. */
	if (time == known->since || time - known->since > PEEK_TRUST)
		*known = (struct peek_known){ .since = time };
	peek->known = known;
}

static inline bool peek_probe(struct peek *peek, uintptr_t page)
{
	uintptr_t *known = peek->known ? peek->known->pages[page / PEEK_PAGE % PEEK_KNOWN] : NULL;

	if (known && peek->trusts && (known[0] == page || known[1] == page))
		return true;
	if (!memory_probe_self(page))
		return false;
	if (known && known[0] != page) {
		known[1] = known[0];
		known[0] = page;
	}
	return true;
}

/* Returns true for a page of this process that stays readable. */
static inline bool peek_is_sure(const struct peek *peek, uintptr_t page)
{
	for (unsigned i = 0; i < peek->sure_count; i++)
		if (window_holds(&peek->sure[i], page, PEEK_PAGE))
			return true;
	return false;
}

/* Returns the first of the two places of a page; the second is half of all further. There are two,
 * so that pages of two areas which meet do not displace each other at each frame. */
static inline size_t peek_place(uintptr_t page)
{
	return page / PEEK_PAGE % PEEK_PAGES;
}

static inline size_t peek_second(size_t place)
{
	return place ^ PEEK_PAGES / 2;
}

/* Returns true for a page that is remembered. */
static inline bool peek_has(const struct peek *peek, uintptr_t page)
{
	size_t place = peek_place(page);

	return page && (peek->pages[place] == page || peek->pages[peek_second(place)] == page);
}

/* Returns the place for a page that is not remembered: the second if another page has the first. */
static inline size_t peek_new_place(const struct peek *peek, uintptr_t page)
{
	size_t place = peek_place(page);

	return peek->pages[place] ? peek_second(place) : place;
}

/* Makes a page available that is not remembered. */
__attribute__((cold)) static inline bool peek_new_page(struct peek *peek, uintptr_t page)
{
	size_t number = peek_new_place(peek, page);
	const struct peek_source *source = peek->source;

	if (!page)
		return false;
	peek->pages[number] = 0;
	if (source ? !source->read(source->context, page, source->copies[number], PEEK_PAGE)
		   : !peek_is_sure(peek, page) && !peek_probe(peek, page))
		return false;
	peek->pages[number] = page;
	return true;
}

static inline bool peek_page(struct peek *peek, uintptr_t page)
{
	return peek_has(peek, page) || peek_new_page(peek, page);
}

/* Notes memory of this process that is never unmapped. */
static inline void peek_trust(struct peek *peek, uintptr_t start, uintptr_t end)
{
	if (!peek->source && peek->sure_count < PEEK_SURE && start < end)
		peek->sure[peek->sure_count++] = (struct window){ start, end, 0 };
}

/* Notes that an address of this process can be read, which spares the system call. */
static inline void peek_know(struct peek *peek, uintptr_t address)
{
	uintptr_t page = address & ~(PEEK_PAGE - 1);

	if (!peek->source && !peek_has(peek, page))
		peek->pages[peek_new_place(peek, page)] = page;
}

/* Returns true if these bytes, at most a page of them, can be read. */
static inline bool peek_can(struct peek *peek, uintptr_t address, size_t size)
{
	uintptr_t first = address & ~(PEEK_PAGE - 1),
		  last = (address + size - 1) & ~(PEEK_PAGE - 1);

	return first <= last && peek_page(peek, first) && (first == last || peek_page(peek, last));
}

/* Returns a byte of another process; 0: it is gone by now. */
static inline uint8_t peek_far_byte(struct peek *peek, uintptr_t address)
{
	uintptr_t page = address & ~(PEEK_PAGE - 1);
	size_t place = peek_place(page);

	if (!peek_page(peek, page))
		return 0;
	place = peek->pages[place] == page ? place : peek_second(place);
	return (uint8_t)peek->source->copies[place][address - page];
}

/* Cold, so that the compiler puts peek_word() alone into its callers. */
__attribute__((cold)) static inline uintptr_t peek_far_word(struct peek *peek, uintptr_t address)
{
	uintptr_t word = 0;

	for (unsigned i = 0; i < sizeof(word); i++)
		word |= (uintptr_t)peek_far_byte(peek, address + i) << 8 * i;
	return word;
}

/* Returns a word that can be read; all supported CPUs are little-endian. */
static inline uintptr_t peek_word(struct peek *peek, uintptr_t address)
{
	if (__builtin_expect(peek->source != NULL, false))
		return peek_far_word(peek, address);
	return window_word(&(struct window){ 0 }, address);
}

/* Returns a byte of a word that can be read. */
static inline uint8_t peek_byte(struct peek *peek, uintptr_t address)
{
	uintptr_t place = address % sizeof(uintptr_t);

	return (uint8_t)(peek_word(peek, address - place) >> place * 8);
}

/* Copies any number of bytes, all or none, without a word before. */
static inline bool peek_bytes(const struct peek *peek, uintptr_t address, void *to, size_t size)
{
	const struct peek_source *source = peek->source;

	return source ? source->read(source->context, address, to, size)
		      : memory_read_self(NULL, address, to, size);
}

#endif
