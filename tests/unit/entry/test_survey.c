/* SPDX-License-Identifier: MIT
 *
 * test_survey.c - finds the functions of arch/NAME/entries.S in this program, copies their first
 * instructions to an island, and calls the copies.
 */
#include "entry/survey.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "entry/frames.h"
#include "entry/island.h"
#include "tap.h"
#include "unwind/fde.h"
#include "unwind/objects.h"
#include "unwind/program.h"
#include "unwind/search.h"

typedef long number_function(long);

static const struct survey_function *find(const struct survey *survey, const char *name)
{
	char room[SURVEY_NAME];

	for (size_t i = 0; i < survey->count; i++)
		if (strcmp(survey_name(&survey->functions[i], 0, room), name) == 0)
			return &survey->functions[i];
	return NULL;
}

static void refuses(const struct survey *survey)
{
	static const struct {
		const char *name;
		enum entry_refusal refusal;
	} wanted[] = { REFUSED };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct survey_function *function = find(survey, wanted[i].name);

		ok(function && function->refusal == wanted[i].refusal, "%s: %s (%s)",
		   wanted[i].name, entry_refusal_text(wanted[i].refusal),
		   function ? entry_refusal_text(function->refusal) : "not found");
	}
}

static void keeps_landing_pad(const struct survey *survey)
{
	const struct survey_function *with = find(survey, "entry_landing_pad");
	const struct survey_function *without = find(survey, "entry_plain");

	ok(with && with->entry.skip == 4 && without && without->entry.skip == 0,
	   "a landing pad stays where it is");
}

static unsigned jump_of(const struct survey *survey, const char *name)
{
	const struct survey_function *function = find(survey, name);

	return function && !function->refusal ? function->entry.jump : 0;
}

static void expects_copies(const struct survey *survey)
{
	ok(jump_of(survey, "entry_plain") == ARCH_ENTRY_FIXED,
	   "a function that a program can copy gets a jump that can be copied");
	ok(jump_of(survey, "entry_relative") == ARCH_ENTRY_JUMP,
	   "one whose code depends on its place does not need it");
	ok(jump_of(survey, "entry_landing_pad") == ARCH_ENTRY_JUMP,
	   "nor does one whose address is not stored");
}

static struct island_object own_place;

static int see_first(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	own_place.bias = info->dlpi_addr;
	own_place.start = own_place.end = (uint64_t)(uintptr_t)&own_place & ~UINT64_C(4095);
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		if (start < own_place.start)
			own_place.start = start;
		if (start + segment->p_memsz > own_place.end)
			own_place.end = start + segment->p_memsz;
	}
	return 1;
}

/* Returns whether the copy gives what the function gives. */
static bool is_same(uint64_t function_at, uint64_t copy_at)
{
	number_function *original = (number_function *)(uintptr_t)function_at;
	number_function *copy = (number_function *)(uintptr_t)copy_at;

	for (long i = -3; i < 4; i++)
		if (original(i) != copy(i))
			return false;
	return true;
}

/* Returns whether each byte of a copy can be unwound from, with the CFA so far from the stack
 * pointer at most. */
static bool has_rows(const struct island *island, const struct frames_copy *copy, int64_t deepest)
{
	_Alignas(struct eh_table) char room[sizeof(struct eh_table) + sizeof(struct mapping)] = {
		0
	};
	struct eh_table *table = (struct eh_table *)room;
	struct memory memory = { .read = memory_read_self, .table = table };
	struct unwind_data data;
	struct row row;
	struct fde fde;
	int64_t lowest = 1000, highest = 0;

	table->count = table->capacity = 1;
	table->mappings[0] =
		(struct mapping){ .start = island->start,
				  .end = island->start + island->size,
				  .direct_end = island->start + island->size,
				  .header = island->start + island->frames,
				  .header_bytes = (uint32_t)(island->size - island->frames) };
	for (uint64_t at = copy->address; at < copy->address + copy->size; at++) {
		if (search_fde(&memory, table->mappings, at, &fde, &data) ||
		    program_run(&data, &fde, at, &row) || row.cfa != ROW_CFA_REGISTER)
			return false;
		lowest = row.cfa_value < lowest ? row.cfa_value : lowest;
		highest = row.cfa_value > highest ? row.cfa_value : highest;
	}
	return lowest == ARCH_ENTRY_CFA_OFFSET && highest == deepest;
}

static void copies(struct survey *survey)
{
	static const char *const names[] = { COPIED };
	enum { COUNT = sizeof(names) / sizeof(names[0]) };
	struct island_function made[COUNT] = { 0 };
	bool is_copied[COUNT] = { 0 };
	const struct survey_function *found[COUNT];
	struct island island;

	dl_iterate_phdr(see_first, NULL);
	ok(island_begin(&island, &own_place, COUNT, &survey->scratch) == 0,
	   "there is memory near this program");
	for (size_t i = 0; i < COUNT; i++) {
		found[i] = find(survey, names[i]);
		if (found[i] && found[i]->refusal == ENTRY_FINE)
			is_copied[i] =
				island_add(&island, survey, found[i], own_place.bias, &made[i]);
	}
	ok(island_finish(&island, survey) == 0, "an island is mapped");
	for (size_t i = 0; i < COUNT; i++)
		ok(is_copied[i] && is_same(own_place.bias + found[i]->address, made[i].copy),
		   "the copy of %s does the same (%s)", names[i],
		   found[i] ? entry_refusal_text(found[i]->refusal) : "not found");
	ok(has_rows(&island, &island.copies[0], CFA_OF_PROLOGUE),
	   "unwinders pass a copy of a prologue");
	ok(has_rows(&island, &island.copies[FURTHER], CFA_OF_FURTHER), "and one of %s",
	   names[FURTHER]);
	island_drop(&island);
}

static void rejects(void)
{
	static uint8_t bytes[4096] = { 0x7f, 'E', 'L', 'F' };
	struct survey survey;

	ok(survey_open(&survey, "/proc/self/maps") < 0, "a file that is not ELF");
	ok(survey_open(&survey, "/none/such") < 0, "no file");
	ok(survey_read(&survey, bytes, sizeof(bytes)) < 0, "a head without the rest");
}

int main(void)
{
	struct survey survey;

	if (!ok(survey_open(&survey, "/proc/self/exe") == 0, "this program is read"))
		return tap_done();
	refuses(&survey);
	keeps_landing_pad(&survey);
	expects_copies(&survey);
	copies(&survey);
	survey_close(&survey);
	rejects();
	return tap_done();
}
