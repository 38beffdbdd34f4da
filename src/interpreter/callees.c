/* SPDX-License-Identifier: MIT */
#include "callees.h"

#include <string.h>

#include "frame.h"

#define SEARCH_BYTES 4096 /* of a function's code: calls behind them are not looked at */
#define CHUNK_BYTES  128

/* Version 1; a pointer and a number of four bytes each; entries relative to the index. */
static const uint8_t index_head[] = { 1, 0x1b, 3, 0x3b };
#define INDEX_HEAD_BYTES 12

struct entry {
	int32_t function, frames; /* relative to the index */
};

static bool read_entry(const struct dynsym *symbols, uint32_t number, uintptr_t *function)
{
	struct entry entry;

	if (!peek_bytes(symbols->peek, symbols->frames + INDEX_HEAD_BYTES + number * sizeof(entry),
			&entry, sizeof(entry)))
		return false;
	*function = symbols->frames + (uintptr_t)(intptr_t)entry.function;
	return true;
}

static bool read_count(const struct dynsym *symbols, uint32_t *count)
{
	uint8_t head[INDEX_HEAD_BYTES];

	if (!symbols->frames || !peek_bytes(symbols->peek, symbols->frames, head, sizeof(head)) ||
	    memcmp(head, index_head, sizeof(index_head)) != 0)
		return false;
	memcpy(count, head + 8, sizeof(*count));
	return *count > 1;
}

/* Finds the end of a function. False: none starts there. */
static bool find_end(const struct dynsym *symbols, uintptr_t function, uintptr_t *end)
{
	uint32_t low = 0, high;
	uintptr_t start;

	if (!read_count(symbols, &high))
		return false;
	/* The last one has no next. */
	high--;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (!read_entry(symbols, middle, &start))
			return false;
		if (start == function)
			return read_entry(symbols, middle + 1, end);
		if (start < function)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Goes to the next call from *at on. Bytes inside of instructions may look like calls, but do not
 * lead to the start of a function. */
static uintptr_t next_call(const struct dynsym *symbols, uintptr_t *at, uintptr_t end)
{
	uint8_t code[CHUNK_BYTES];

	while (*at + sizeof(code) <= end) {
		if (!peek_bytes(symbols->peek, *at, code, sizeof(code)))
			return 0;
		for (size_t i = 0; i + ARCH_CALL_HERE_BYTES <= sizeof(code);
		     i += ARCH_CODE_ALIGNMENT) {
			uintptr_t target = arch_call_here(code + i, *at + i);

			if (target) {
				*at += i + ARCH_CODE_ALIGNMENT;
				return target;
			}
		}
		*at += sizeof(code) - ARCH_CALL_HERE_BYTES + ARCH_CODE_ALIGNMENT;
	}
	return 0;
}

uintptr_t callees_find(const struct dynsym *symbols, uintptr_t function, size_t least_bytes,
		       int through, uintptr_t *end)
{
	uintptr_t at = function, stop, target, found;

	if (!find_end(symbols, function, &stop))
		return 0;
	if (stop - function > SEARCH_BYTES)
		stop = function + SEARCH_BYTES;
	/* The code behind it can be read as well: a chunk may reach into it. */
	stop += CHUNK_BYTES;
	while ((target = next_call(symbols, &at, stop))) {
		if (find_end(symbols, target, end) && *end - target >= least_bytes)
			return target;
		found = through ? callees_find(symbols, target, least_bytes, through - 1, end) : 0;
		if (found)
			return found;
	}
	return 0;
}

bool callees_holds(const struct dynsym *symbols, uintptr_t function, const struct arch_held *held,
		   uint8_t code[ARCH_HELD_BYTES])
{
	size_t at = 0;

	if (!function || !held->takes[0].size ||
	    !peek_bytes(symbols->peek, function, code, ARCH_HELD_BYTES))
		return false;
	for (size_t i = 0; i < ARCH_HELD; i++) {
		const struct arch_instruction *takes = &held->takes[i];

		while (at + takes->size <= ARCH_HELD_BYTES &&
		       memcmp(code + at, takes->bytes, takes->size) != 0)
			at += ARCH_CODE_ALIGNMENT;
		at += takes->size;
		if (at > ARCH_HELD_BYTES)
			return false;
	}
	return true;
}
