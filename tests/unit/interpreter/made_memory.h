/* SPDX-License-Identifier: MIT
 *
 * made_memory.h - memory of another process that is made up: some pages, each of which can be taken
 * away.
 */
#ifndef DWELL_TESTS_MADE_MEMORY_H
#define DWELL_TESTS_MADE_MEMORY_H

#include <string.h>

#include "interpreter/peek.h"

#define BASE  ((uintptr_t)0x10000000)
#define PAGES 8
#define WORD  ((uintptr_t)sizeof(uintptr_t))

static uintptr_t memory[PAGES][PEEK_PAGE / sizeof(uintptr_t)];
static bool is_gone[PAGES];
static char copies[PEEK_PAGES][PEEK_PAGE];

static inline uintptr_t address(unsigned page, unsigned word)
{
	return BASE + page * PEEK_PAGE + word * WORD;
}

static inline bool read_memory(void *context, uintptr_t at, void *to, size_t size)
{
	(void)context;
	if (at < BASE || at - BASE + size > sizeof(memory) || is_gone[(at - BASE) / PEEK_PAGE])
		return false;
	memcpy(to, (const char *)memory + (at - BASE), size);
	return true;
}

static const struct peek_source source = { read_memory, NULL, copies };

static inline void made_memory_clear(void)
{
	memset(memory, 0, sizeof(memory));
	memset(is_gone, 0, sizeof(is_gone));
}

static inline void put(uintptr_t at, const uintptr_t *words, unsigned count)
{
	memcpy((char *)memory + (at - BASE), words, count * WORD);
}

#define PUT(at, ...)                                                                               \
	put(at, (const uintptr_t[]){ __VA_ARGS__ },                                                \
	    sizeof((const uintptr_t[]){ __VA_ARGS__ }) / WORD)

#endif
