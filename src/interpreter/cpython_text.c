/* SPDX-License-Identifier: MIT */
#include "cpython.h"

/* A text: one, two or four bytes a character, as its widest one requires. */
struct text {
	uintptr_t data;
	size_t length; /* characters */
	unsigned width;
	bool is_ascii;
};

#define CHARACTERS 64 /* read at once */

static bool open_text(struct peek *peek, const struct cpython_layout *layout, uintptr_t object,
		      struct text *text)
{
	uint32_t state;
	uintptr_t length;
	bool is_compact;

	if (!object ||
	    !peek_bytes(peek, object + (uintptr_t)layout->text_state, &state, sizeof(state)) ||
	    !peek_bytes(peek, object + (uintptr_t)layout->text_length, &length, sizeof(length)))
		return false;
	is_compact = state >> 5 & 1;
	text->is_ascii = state >> 6 & 1;
	text->width = state >> 2 & 7;
	text->length = length;
	text->data = object + (uintptr_t)(text->is_ascii ? layout->text_ascii : layout->text_wide);
	return is_compact && length < UINT32_MAX &&
	       (text->width == 1 || text->width == 2 || text->width == 4);
}

/* Appends a character in UTF-8. Returns the new end; at itself: there is no space. */
static char *put(char *at, const char *end, uint32_t c)
{
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const uint8_t starts[] = { 0, 0xc0, 0xe0, 0xf0 };

	if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return put(at, end, 0xfffd);
	if (end - at <= more)
		return at;
	*at++ = (char)(starts[more] | c >> 6 * more);
	for (; more; more--)
		*at++ = (char)(0x80 | (c >> 6 * (more - 1) & 0x3f));
	return at;
}

static uint32_t character(const uint8_t *at, unsigned width)
{
	uint32_t c = 0;

	for (unsigned i = 0; i < width; i++)
		c |= (uint32_t)at[i] << 8 * i;
	return c;
}

/* Copies a text from a character on, as far as there is space, and ends it. */
static bool copy(struct peek *peek, const struct text *text, size_t from, char *to, size_t size)
{
	uint8_t raw[4 * CHARACTERS];
	char *at = to, *end = to + size - 1;

	while (from < text->length) {
		size_t count = text->length - from < CHARACTERS ? text->length - from : CHARACTERS;

		if (!peek_bytes(peek, text->data + from * text->width, raw, count * text->width))
			return false;
		for (size_t i = 0; i < count; i++) {
			char *next = put(at, end, character(raw + i * text->width, text->width));

			if (next == at) {
				*at = '\0';
				return true;
			}
			at = next;
		}
		from += count;
	}
	*at = '\0';
	return true;
}

/* Reads a field of the code object that points to an object. */
static uintptr_t field(struct peek *peek, uintptr_t code, int32_t offset)
{
	uintptr_t object;

	return peek_bytes(peek, code + (uintptr_t)offset, &object, sizeof(object)) ? object : 0;
}

static void find_table(struct peek *peek, const struct cpython_layout *layout, uintptr_t bytes,
		       struct script_facts *facts)
{
	uintptr_t length = 0;

	if (bytes &&
	    peek_bytes(peek, bytes + (uintptr_t)layout->bytes_length, &length, sizeof(length)))
		facts->table = bytes + (uintptr_t)layout->bytes_data;
	facts->table_bytes = length;
}

bool cpython_describe(struct peek *peek, const struct interpreter_found *found, uintptr_t code,
		      struct script_facts *facts)
{
	const struct cpython_layout *layout = found->layout;
	struct text name, file;
	size_t skipped;

	if (!open_text(peek, layout, field(peek, code, layout->code_name), &name) ||
	    !open_text(peek, layout, field(peek, code, layout->code_file), &file) ||
	    !peek_bytes(peek, code + (uintptr_t)layout->code_line, &facts->line,
			sizeof(facts->line)))
		return false;
	/* The end of a path is what tells files apart. */
	skipped = file.length < SCRIPT_FILE_BYTES ? 0 : file.length - SCRIPT_FILE_BYTES + 1;
	if (!copy(peek, &name, 0, facts->name, sizeof(facts->name)) ||
	    !copy(peek, &file, skipped, facts->file, sizeof(facts->file)))
		return false;
	find_table(peek, layout, field(peek, code, layout->code_table), facts);
	return true;
}
