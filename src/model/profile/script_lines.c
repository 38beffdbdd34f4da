/* SPDX-License-Identifier: MIT */
#include "script_lines.h"

#include <string.h>

#define UNIT_BYTES 2 /* of an instruction of CPython */

/* A table being read. */
struct table {
	const uint8_t *at, *end;
};

/*
 * The location table of CPython from 3.11 on: entries for consecutive instructions. The first byte
 *of one has its highest bit set, which no other has; then four bits of its form and three of the
 *number of instructions, less 1.
 *
 *	0...9	the same line; columns follow
 *	10...12	0, 1 or 2 lines further; columns follow
 *	13, 14	a signed number of lines further follows
 *	15	no line
 */
enum { FORM_NEAR = 10, FORM_LINES = 13, FORM_LONG = 14, FORM_NONE = 15 };

static uint8_t next_byte(struct table *table)
{
	return table->at < table->end ? *table->at++ : 0;
}

/* Reads a number in pieces of six bits, the lowest first; the seventh bit: more follow. Its sign is
 * the lowest bit. */
static int64_t read_signed(struct table *table)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = next_byte(table);
		if (shift < 60)
			value |= (uint64_t)(byte & 0x3f) << shift;
		shift += 6;
	} while (byte & 0x40);
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Reads how many lines an entry goes on, and goes to the next entry. */
static int64_t read_lines(struct table *table, unsigned form)
{
	int64_t lines = 0;

	if (form == FORM_LINES || form == FORM_LONG)
		lines = read_signed(table);
	else if (form >= FORM_NEAR && form < FORM_LINES)
		lines = form - FORM_NEAR;
	while (table->at < table->end && !(*table->at & 0x80))
		table->at++;
	return lines;
}

uint32_t script_line(const struct record_script *script, uint64_t offset)
{
	const char *file = script->text + strlen(script->text) + 1;
	const uint8_t *start = (const uint8_t *)file + strlen(file) + 1;
	struct table table = { .at = start, .end = start + script->table_bytes };
	uint64_t instruction = offset / UNIT_BYTES, done = 0;
	int64_t line = script->line;

	while (table.at < table.end) {
		uint8_t head = next_byte(&table);
		unsigned form = head >> 3 & 15;

		/* A damaged table may go anywhere. */
		line = (int64_t)((uint64_t)line + (uint64_t)read_lines(&table, form));
		done += (head & 7) + 1u;
		if (instruction < done)
			return form == FORM_NONE || line < 0 || line > UINT32_MAX ? 0
										  : (uint32_t)line;
	}
	return 0;
}
