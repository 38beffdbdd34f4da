/* SPDX-License-Identifier: MIT */
#include "script_lines.h"

#include <string.h>

#include "base/bisect.h"

#define UNIT_BYTES 2 /* of an instruction of CPython */

/* A table being read. */
struct table {
	const uint8_t *at, *end;
};

/*
 * The location table of CPython from 3.11 on: entries for consecutive instructions. The first byte
 * of one has its highest bit set, which no other has; then four bits of its form and three of the
 * number of instructions, less 1.
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

static uint32_t line_or_none(int64_t line)
{
	return line < 0 || line > UINT32_MAX ? 0 : (uint32_t)line;
}

/* The table up to 3.9: pairs of bytes to go on and lines to go on, which are signed. */
static uint32_t line_by_steps(const struct record_script *script, struct table table,
			      uint64_t offset)
{
	uint64_t done = 0;
	int64_t line = script->line;

	while (table.at < table.end) {
		done += next_byte(&table);
		if (done > offset)
			break;
		line += (int8_t)next_byte(&table);
	}
	return line_or_none(line);
}

/* The table of 3.10: pairs of the bytes of a range, and of lines to go on before it. */
static uint32_t line_by_ranges(const struct record_script *script, struct table table,
			       uint64_t offset)
{
	uint64_t done = 0;
	int64_t line = script->line;

	while (table.at < table.end) {
		int8_t lines;

		done += next_byte(&table);
		lines = (int8_t)next_byte(&table);
		if (lines != INT8_MIN)
			line += lines;
		if (offset < done)
			return lines == INT8_MIN ? 0 : line_or_none(line);
	}
	return 0;
}

static uint32_t line_by_forms(const struct record_script *script, struct table table,
			      uint64_t offset)
{
	uint64_t instruction = offset / UNIT_BYTES, done = 0;
	int64_t line = script->line;

	while (table.at < table.end) {
		uint8_t head = next_byte(&table);
		unsigned form = head >> 3 & 15;

		/* A damaged table may go anywhere. */
		line = (int64_t)((uint64_t)line + (uint64_t)read_lines(&table, form));
		done += (head & 7) + 1u;
		if (instruction < done)
			return form == FORM_NONE ? 0 : line_or_none(line);
	}
	return 0;
}

static uint32_t python_line(const struct record_script *script, struct table table, uint64_t offset)
{
	uint32_t version = script->version >> 16;

	if (version < 0x030a)
		return line_by_steps(script, table, offset);
	return version == 0x030a ? line_by_ranges(script, table, offset)
				 : line_by_forms(script, table, offset);
}

/* Reads a number of HotSpot: bytes of which those from 192 on continue, in pieces of six bits. Its
 * sign is the lowest bit. */
static int64_t read_java(struct table *table)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift <= 24; shift += 6) {
		uint8_t byte = next_byte(table);

		value += (uint32_t)byte << shift;
		if (byte < 192)
			break;
	}
	return value & 1 ? -(int64_t)(value >> 1) - 1 : (int64_t)(value >> 1);
}

/* The table of HotSpot: an entry for each place from which on a line holds. A byte has three bits
 * of lines to go on, and five of instructions before; 255: both follow; 0: it is the end. Places
 * need not ascend. The address behind the last instruction stands for an unknown one. */
static uint32_t java_line(const struct record_script *script, struct table table, uint64_t offset)
{
	int64_t at = 0, line = 0, best = -1, found = 0;

	while (table.at < table.end && script->start + offset + 3 < script->end) {
		uint8_t byte = next_byte(&table);

		if (!byte)
			break;
		at += byte == 255 ? read_java(&table) : byte >> 3;
		line += byte == 255 ? read_java(&table) : byte & 7;
		if (at <= (int64_t)offset && at >= best) {
			best = at;
			found = line;
		}
	}
	return line_or_none(found);
}

/* Reads a key of a struct record_made_line, which is not aligned. */
static uint64_t offset_at(const void *table, size_t i)
{
	struct record_made_line line;

	memcpy(&line, (const char *)table + i * sizeof(line), sizeof(line));
	return line.offset;
}

static uint32_t made_line(struct table table, uint64_t offset)
{
	struct record_made_line line = { 0 };
	size_t count = (size_t)(table.end - table.at) / sizeof(line);
	size_t before = bisect(offset_at, table.at, count, offset);

	if (before)
		memcpy(&line, table.at + (before - 1) * sizeof(line), sizeof(line));
	return line.line;
}

/* Returns the line where each has an address. The one behind the last stands for an unknown one. */
static uint32_t line_of_address(const struct record_script *script, uint64_t offset)
{
	return script->start + offset + 2 < script->end ? script->line + (uint32_t)offset : 0;
}

uint32_t script_line(const struct record_script *script, uint64_t offset)
{
	const char *file = script->text + strlen(script->text) + 1;
	const uint8_t *start = (const uint8_t *)file + strlen(file) + 1;
	struct table table = { .at = start, .end = start + script->table_bytes };

	switch (script->language) {
	case RECORD_MADE:
		return made_line(table, offset);
	case RECORD_PYTHON:
		return python_line(script, table, offset);
	case RECORD_JAVA:
		return java_line(script, table, offset);
	default:
		return line_of_address(script, offset);
	}
}
