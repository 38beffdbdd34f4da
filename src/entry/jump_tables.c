/* SPDX-License-Identifier: MIT */
#include "entry/jump_tables.h"

#include <errno.h>

#include "entry/targets.h"

#define TABLE_MAX    65536 /* entries of a table */
#define PIECE_TABLES 4000
#define APART_MAX    (64 << 20) /* bytes between segments, each of which begins a page of 2 MB */

struct table {
	uint64_t address;
	const struct targets_function *function;
};

struct jump_tables_piece {
	struct jump_tables_piece *next;
	size_t count;
	struct table tables[PIECE_TABLES];
};

int jump_tables_begin(struct jump_tables *tables, const struct view *view, struct scratch *scratch)
{
	*tables = (struct jump_tables){ .low = UINT64_MAX, .scratch = scratch };
	for (size_t i = 0; i < view->segment_count; i++) {
		const Elf64_Phdr *segment = &view->segments[i];

		if (segment->p_type != PT_LOAD ||
		    !view_part(view, segment->p_offset, segment->p_filesz))
			continue;
		if (segment->p_vaddr < tables->low)
			tables->low = segment->p_vaddr & ~(uint64_t)3;
		if (segment->p_vaddr + segment->p_filesz > tables->high)
			tables->high = segment->p_vaddr + segment->p_filesz;
	}
	/* Little more than the file has: segments may claim to be far apart. */
	if (tables->high < tables->low ||
	    tables->high - tables->low > 16 * (uint64_t)view->size + APART_MAX)
		return -ENOEXEC;
	tables->begins = scratch_take(scratch, (tables->high - tables->low) / 32 + 1);
	return tables->begins ? 0 : -ENOMEM;
}

static bool begins(const struct jump_tables *tables, uint64_t address)
{
	uint64_t offset = address - tables->low;

	return offset < tables->high - tables->low &&
	       tables->begins[offset / 32] >> offset / 4 % 8 & 1;
}

void jump_tables_add(struct jump_tables *tables, uint64_t address,
		     const struct targets_function *function)
{
	struct jump_tables_piece *piece = tables->pieces;
	uint64_t offset = address - tables->low;

	if (offset >= tables->high - tables->low)
		return;
	if (!piece || piece->count == PIECE_TABLES) {
		piece = scratch_take(tables->scratch, sizeof(*piece));
		if (!piece) {
			tables->is_short = true;
			return;
		}
		piece->next = tables->pieces;
		tables->pieces = piece;
	}
	tables->begins[offset / 32] |= (uint8_t)(1 << offset / 4 % 8);
	piece->tables[piece->count++] = (struct table){ address, function };
}

/* A table may be anywhere in a file. */
static int32_t number_at(const void *place)
{
	struct number {
		int32_t value;
	} __attribute__((packed, may_alias));

	return ((const struct number *)place)->value;
}

static bool is_within(const struct targets_function *function, uint64_t address)
{
	return !function || address - function->address < function->end - function->address;
}

/* Reads up to the first number that does not lead to code. Behind the beginning of another table,
 * only jumps within the function count: something that is not code may have seemed to make that
 * address. */
static void read_table(const struct jump_tables *tables, const struct view *view,
		       const struct table *table, jump_tables_found *found, void *argument)
{
	bool is_over = false;

	for (unsigned i = 0; i < TABLE_MAX; i++) {
		uint64_t place = table->address + 4 * (uint64_t)i, target;
		const void *entry = view_at(view, place, sizeof(int32_t));

		if (!entry)
			return;
		is_over = is_over || (i && begins(tables, place));
		target = table->address + (uint64_t)(int64_t)number_at(entry);
		if (!view_is_code(view, target))
			return;
		if (!is_over || is_within(table->function, target))
			found(argument, target);
	}
}

int jump_tables_read(const struct jump_tables *tables, const struct view *view,
		     jump_tables_found *found, void *argument)
{
	for (const struct jump_tables_piece *piece = tables->pieces; piece; piece = piece->next)
		for (size_t i = 0; i < piece->count; i++)
			read_table(tables, view, &piece->tables[i], found, argument);
	return tables->is_short ? -ENOMEM : 0;
}
