/* SPDX-License-Identifier: MIT
 *
 * fields.h - fields of an interpreter's structs, by the offsets of a layout; and the texts of
 * struct script_facts. In a handler.
 */
#ifndef DWELL_INTERPRETER_FIELDS_H
#define DWELL_INTERPRETER_FIELDS_H

#include "interpreter.h"

/* Returns a word of a struct that can be read, or half of one. */
static inline uintptr_t field_word(struct script_walk *walk, uintptr_t start, int32_t offset)
{
	return peek_word(&walk->peek, start + (uintptr_t)offset);
}

static inline uint32_t field_half(struct script_walk *walk, uintptr_t start, int32_t offset)
{
	uintptr_t address = start + (uintptr_t)offset, place = address % sizeof(uintptr_t);

	return (uint32_t)(peek_word(&walk->peek, address - place) >> place * 8);
}

static inline int32_t field_byte(struct script_walk *walk, uintptr_t start, int32_t offset)
{
	return peek_byte(&walk->peek, start + (uintptr_t)offset);
}

/* Returns true if there may be a struct of this size. */
static inline bool field_can(struct script_walk *walk, uintptr_t start, int32_t size)
{
	return start % sizeof(uintptr_t) == 0 && peek_can(&walk->peek, start, (size_t)size);
}

/* Copies a field, without a look before. */
static inline bool field_copy(struct peek *peek, uintptr_t start, int32_t offset, void *to,
			      size_t size)
{
	return peek_bytes(peek, start + (uintptr_t)offset, to, size);
}

/* Append a text, or the end of one of the interpreter's, as far as there is space before `end`, and
 * a final 0. Return the new end. */
static inline char *text_put(char *to, const char *end, const char *text)
{
	for (; *text && to + 1 < end; text++)
		*to++ = *text;
	*to = '\0';
	return to;
}

static inline char *text_copy(char *to, const char *end, struct peek *peek, uintptr_t text,
			      uint64_t length)
{
	size_t room = (size_t)(end - to) - 1, skipped = 0;

	if (length > room)
		skipped = (size_t)length - room;
	length -= skipped;
	if (!peek_bytes(peek, text + skipped, to, (size_t)length))
		length = 0;
	to[length] = '\0';
	return to + length;
}

#endif
