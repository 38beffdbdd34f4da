/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf_unit.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

/* No compiler nests entries deeper. */
#define DEEPEST 256

/* A walk through the entries of a unit, or below one of them. */
struct walk {
	struct dwarf_unit *unit;
	const void *last;  /* entry met. Entries are stored in order: a reference back would be an
			    * endless loop */
	uint32_t function; /* being walked */
	bool has_methods;  /* types of this language may contain functions */
};

static bool is_further(struct walk *walk, const Dwarf_Die *die)
{
	if (die->addr <= walk->last)
		return false;
	walk->last = die->addr;
	return true;
}

/* Goes to the first entry below another, or to the next one beside it. */
static bool go_down(struct walk *walk, Dwarf_Die *die, Dwarf_Die *child)
{
	return dwarf_child(die, child) == 0 && is_further(walk, child);
}

static bool go_on(struct walk *walk, Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) || !is_further(walk, &next))
		return false;
	*die = next;
	return true;
}

/* Adds all parts of the code of an entry. */
static int add_spans(struct span_list *list, Dwarf_Die *die, struct span span)
{
	ptrdiff_t offset = 0;
	Dwarf_Addr base;
	int status = 0;

	while (!status && (offset = dwarf_ranges(die, offset, &base, &span.low, &span.high)) > 0)
		status = span_list_add(list, &span);
	return status;
}

static int add_block(struct dwarf_unit *unit, const Dwarf_Die *die, uint32_t outer)
{
	struct dwarf_block *more = vec_room(unit->blocks, unit->count, sizeof(*more));

	if (!more || unit->count >= DWARF_NO_BLOCK)
		return -ENOMEM;
	unit->blocks = more;
	unit->blocks[unit->count++] =
		(struct dwarf_block){ .die = *die, .outer = outer, .function = DWARF_NO_BLOCK };
	return 0;
}

/* Adds a function if it has code: most are declarations. */
static int add_function(struct dwarf_unit *unit, Dwarf_Die *die)
{
	size_t before = unit->functions.count;
	int status =
		add_spans(&unit->functions, die, (struct span){ .value = (uint32_t)unit->count });

	if (status || unit->functions.count == before)
		return status;
	return add_block(unit, die, DWARF_NO_BLOCK);
}

static bool has_functions(const struct walk *walk, int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return walk->has_methods;
	default:
		return false;
	}
}

/* Adds the functions below an entry, except for nested ones. */
static int scan(struct walk *walk, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;
	int status = 0;
	bool is_there = depth < DEEPEST && go_down(walk, parent, &die);

	for (; is_there && !status; is_there = go_on(walk, &die)) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			status = add_function(walk->unit, &die);
		else if (has_functions(walk, tag))
			status = scan(walk, &die, depth + 1);
	}
	return status;
}

static bool is_of_c(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

/* Adds functions inside others: nested ones and those of local types, which few programs have. */
static int search(struct walk *walk, Dwarf_Die *parent, bool is_inside, unsigned depth)
{
	Dwarf_Die die;
	int status = 0;
	bool is_there = depth < DEEPEST && go_down(walk, parent, &die);

	for (; is_there && !status; is_there = go_on(walk, &die)) {
		bool is_function = dwarf_tag(&die) == DW_TAG_subprogram;

		if (is_function && is_inside)
			status = add_function(walk->unit, &die);
		if (!status && dwarf_haschildren(&die) > 0)
			status = search(walk, &die, is_inside || is_function, depth + 1);
	}
	return status;
}

/* Adds the functions inlined below an entry of the function being walked. A function defined inside
 * it is not part of its code. */
static int walk_inlined(struct walk *walk, Dwarf_Die *parent, uint32_t outer, unsigned depth)
{
	struct dwarf_unit *unit = walk->unit;
	Dwarf_Die die;
	int status = 0;
	bool is_there = depth < DEEPEST && go_down(walk, parent, &die);

	for (; is_there && !status; is_there = go_on(walk, &die)) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine) {
			struct span span = { .value = (uint32_t)unit->count, .depth = depth + 1 };

			status = add_spans(&unit->blocks[walk->function].inlined, &die, span);
			if (!status)
				status = add_block(unit, &die, outer);
			if (!status)
				status = walk_inlined(walk, &die, span.value, depth + 1);
		} else if (tag == DW_TAG_lexical_block) {
			status = walk_inlined(walk, &die, outer, depth + 1);
		}
	}
	return status;
}

static int scan_once(struct dwarf_unit *unit)
{
	struct walk walk = { .unit = unit, .has_methods = !is_of_c(&unit->code) };

	if (unit->is_scanned)
		return 0;
	unit->is_scanned = true;
	return scan(&walk, &unit->code, 0);
}

static int search_once(struct dwarf_unit *unit)
{
	struct walk walk = { .unit = unit };

	if (unit->is_searched)
		return 0;
	unit->is_searched = true;
	return search(&walk, &unit->code, false, 0);
}

static int walk_once(struct dwarf_unit *unit, uint32_t function)
{
	struct walk walk = { .unit = unit, .function = function };
	Dwarf_Die die = unit->blocks[function].die;

	if (unit->blocks[function].is_walked)
		return 0;
	unit->blocks[function].is_walked = true;
	return walk_inlined(&walk, &die, function, 0);
}

int dwarf_unit_find(struct dwarf_unit *unit, uint64_t address, uint32_t *block)
{
	const struct span *span;
	uint32_t function;
	int status = scan_once(unit);

	*block = DWARF_NO_BLOCK;
	if (!status && !span_list_find(&unit->functions, address))
		status = search_once(unit);
	span = span_list_find(&unit->functions, address);
	if (status || !span)
		return status;
	function = span->value;
	status = walk_once(unit, function);
	if (status)
		return status;
	span = span_list_find(&unit->blocks[function].inlined, address);
	*block = span ? span->value : function;
	return 0;
}

const char *dwarf_unit_folder(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));
}

void dwarf_unit_free(struct dwarf_unit *unit)
{
	for (size_t i = 0; i < unit->count; i++)
		span_list_free(&unit->blocks[i].inlined);
	free(unit->blocks);
	span_list_free(&unit->functions);
	*unit = (struct dwarf_unit){ 0 };
}
