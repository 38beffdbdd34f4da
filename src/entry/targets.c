/* SPDX-License-Identifier: MIT */
#include "entry/targets.h"

#include <errno.h>

#include "entry.h"
#include "relocations.h"

static void mark(const struct targets *targets, uint8_t *bits, uint64_t address)
{
	uint64_t offset = address - targets->low;

	if (offset < targets->high - targets->low)
		bits[offset / 8] |= (uint8_t)(1 << offset % 8);
}

static bool has(const struct targets *targets, const uint8_t *bits, uint64_t address)
{
	uint64_t offset = address - targets->low;

	return offset < targets->high - targets->low && bits[offset / 8] >> offset % 8 & 1;
}

/* Marks an address that is stored, and may be called or jumped to later. */
static void mark_stored(const struct targets *targets, uint64_t address)
{
	mark(targets, targets->led_to, address);
	mark(targets, targets->called, address);
	mark(targets, targets->taken, address);
}

/* Returns the table at an address, or NULL if it is not there or not aligned. */
static const void *table_at(const struct view *view, uint64_t address, uint64_t size)
{
	const void *table = size ? view_at(view, address, size) : NULL;

	return (uintptr_t)table % 8 ? NULL : table;
}

static void mark_led_to(void *targets, uint64_t address)
{
	mark(targets, ((const struct targets *)targets)->led_to, address);
}

/* Returns whether an instruction would do something else in a copy of its function. */
static bool is_tied(const struct targets_function *function, const struct arch_instruction *one)
{
	return one->is_relative || one->flow == ARCH_FLOW_CALL ||
	       (one->has_target &&
		one->target - function->address >= function->end - function->address);
}

static void mark_one(struct targets *targets, const struct view *view,
		     struct targets_function *function, const struct arch_instruction *one)
{
	if (function && is_tied(function, one))
		function->is_tied = true;
	if (function && one->returns_kept)
		function->keeps = true;
	if (one->has_target) {
		if (one->flow == ARCH_FLOW_CALL) {
			mark(targets, targets->called, one->target);
		} else {
			mark(targets, targets->led_to, one->target);
			if (function && one->target - function->address <= function->skip)
				function->is_loop = true;
		}
	}
	if (one->has_constant && view->head->e_type == ET_EXEC)
		mark_stored(targets, one->constant);
	/* Code that is read as data: compilers copy by a few loads and stores. */
	if (one->is_relative)
		mark(targets, targets->taken, one->operand);
	if (!one->makes_address)
		return;
	if (view_is_code(view, one->operand))
		mark_stored(targets, one->operand);
	else if (one->operand % 4 == 0)
		jump_tables_add(&targets->tables, one->operand, function);
}

/* Reads a segment's code from end to end, beginning anew with each function: there may be data in
 * between. */
static void read_code(struct targets *targets, const struct view *view, const Elf64_Phdr *segment,
		      struct targets_function *functions, size_t count)
{
	uint64_t at = segment->p_vaddr, end = at + segment->p_filesz;
	struct targets_function *next = functions, *function = NULL;

	while (at < end) {
		uint8_t room[ARCH_ENTRY_ROOM];
		struct arch_instruction one;

		while (next < functions + count && next->address <= at) {
			function = next++;
			at = function->address > segment->p_vaddr ? function->address : at;
		}
		arch_decode(view_code(view, segment, at, room), at, &one);
		mark_one(targets, view, function && at < function->end ? function : NULL, &one);
		at += one.length;
	}
}

static void mark_relocations(const struct targets *targets, const struct view *view)
{
	uint64_t size = view_dynamic(view, DT_RELASZ);
	const Elf64_Rela *table = table_at(view, view_dynamic(view, DT_RELA), size);

	for (size_t i = 0; table && i < size / sizeof(*table); i++)
		if (ELF64_R_TYPE(table[i].r_info) == RELOCATION_OF_BASE)
			mark_stored(targets, (uint64_t)table[i].r_addend);
}

static void mark_word(const struct targets *targets, const struct view *view, uint64_t place)
{
	const uint64_t *word = table_at(view, place, sizeof(*word));

	if (word)
		mark_stored(targets, *word);
}

#ifndef DT_RELR
#define DT_RELR   36
#define DT_RELRSZ 35
#endif

/* Marks what packed relocations store: an even word is a place, an odd one a map of the 63 places
 * that follow. */
static void mark_packed(const struct targets *targets, const struct view *view)
{
	uint64_t size = view_dynamic(view, DT_RELRSZ), place = 0;
	const uint64_t *table = table_at(view, view_dynamic(view, DT_RELR), size);

	for (size_t i = 0; table && i < size / sizeof(*table); i++) {
		if (table[i] & 1) {
			for (unsigned bit = 1; bit < 64; bit++)
				if (table[i] >> bit & 1)
					mark_word(targets, view, place + 8 * (bit - 1));
			place += 8 * (uint64_t)63;
		} else {
			mark_word(targets, view, table[i]);
			place = table[i] + 8;
		}
	}
}

/* Marks all words of data that could be addresses: a program for a fixed address has no
 * relocations for them. */
static void mark_words(const struct targets *targets, const struct view *view)
{
	for (size_t i = 0; i < view->segment_count; i++) {
		const Elf64_Phdr *segment = &view->segments[i];
		const uint64_t *words =
			segment->p_type == PT_LOAD && segment->p_offset % 8 == 0
				? view_part(view, segment->p_offset, segment->p_filesz)
				: NULL;

		for (size_t k = 0; words && k < segment->p_filesz / 8; k++)
			mark_stored(targets, words[k]);
	}
}

static int make_bits(struct targets *targets, const struct view *view, struct scratch *scratch)
{
	size_t size;

	*targets = (struct targets){ .low = UINT64_MAX };
	for (size_t i = 0; i < view->segment_count; i++) {
		const Elf64_Phdr *segment = &view->segments[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    !view_part(view, segment->p_offset, segment->p_filesz))
			continue;
		if (segment->p_vaddr < targets->low)
			targets->low = segment->p_vaddr;
		if (segment->p_vaddr + segment->p_filesz > targets->high)
			targets->high = segment->p_vaddr + segment->p_filesz;
	}
	/* No more than the file has: segments may claim to be far apart. */
	if (targets->high < targets->low || targets->high - targets->low > 16 * view->size)
		return -ENOEXEC;
	size = (targets->high - targets->low) / 8 + 1;
	targets->led_to = scratch_take(scratch, size);
	targets->called = scratch_take(scratch, size);
	targets->taken = scratch_take(scratch, size);
	return targets->led_to && targets->called && targets->taken ? 0 : -ENOMEM;
}

int targets_read(struct targets *targets, const struct view *view,
		 struct targets_function *functions, size_t count, struct scratch *scratch)
{
	int err = make_bits(targets, view, scratch);

	if (!err)
		err = jump_tables_begin(&targets->tables, view, scratch);
	if (err)
		return err;
	for (size_t i = 0; i < view->segment_count; i++)
		if (view->segments[i].p_type == PT_LOAD && view->segments[i].p_flags & PF_X)
			read_code(targets, view, &view->segments[i], functions, count);
	mark_relocations(targets, view);
	mark_packed(targets, view);
	if (view->head->e_type == ET_EXEC)
		mark_words(targets, view);
	return jump_tables_read(&targets->tables, view, mark_led_to, targets);
}

bool targets_has(const struct targets *targets, uint64_t low, uint64_t high)
{
	for (; low < high; low++)
		if (has(targets, targets->led_to, low) || has(targets, targets->called, low))
			return true;
	return false;
}

bool targets_is_called(const struct targets *targets, uint64_t address)
{
	return has(targets, targets->called, address);
}

bool targets_is_taken(const struct targets *targets, uint64_t address)
{
	return has(targets, targets->taken, address);
}
