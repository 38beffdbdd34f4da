/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf_info.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/dwarf_functions.h"
#include "symbol/dwarf_unit.h"
#include "symbol/source_paths.h"

struct dwarf_info {
	struct dwarf_unit *units;
	size_t count;
	struct span_list by_address; /* of units */
	struct dwarf_functions functions;
	struct source_paths paths;
};

/* Adds a unit. Every producer writes a unit's own list of its code; .debug_aranges, which would
 * save reading the heads of units, is missing from clang's and Rust's output. */
static int add_unit(struct dwarf_info *info, const Dwarf_Die *die, const Dwarf_Die *code)
{
	struct dwarf_unit *more = vec_room(info->units, info->count, sizeof(*more));
	struct span span = { .value = (uint32_t)info->count };
	Dwarf_Die head = *die;
	Dwarf_Addr base;
	ptrdiff_t offset = 0;
	int status = 0;

	if (!more || info->count >= UINT32_MAX)
		return -ENOMEM;
	info->units = more;
	info->units[info->count++] = (struct dwarf_unit){ .die = *die, .code = *code };
	while (!status && (offset = dwarf_ranges(&head, offset, &base, &span.low, &span.high)) > 0)
		status = span_list_add(&info->by_address, &span);
	return status;
}

static int read_units(struct dwarf_info *info, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;
	int status = 0;

	while (!status && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		if (type == DW_UT_skeleton)
			status = add_unit(info, &die, split.addr ? &split : &die);
		else if (dwarf_tag(&die) == DW_TAG_compile_unit)
			status = add_unit(info, &die, &die);
	}
	return status;
}

int dwarf_info_new(struct dwarf_info **made, Dwarf *dwarf, const struct symbol_table *symbols)
{
	struct dwarf_info *info = calloc(1, sizeof(*info));
	int status = info ? read_units(info, dwarf) : -ENOMEM;

	if (status) {
		dwarf_info_free(info);
		return status;
	}
	info->functions.symbols = symbols;
	*made = info;
	return 0;
}

void dwarf_info_free(struct dwarf_info *info)
{
	if (!info)
		return;
	for (size_t i = 0; i < info->count; i++)
		dwarf_unit_free(&info->units[i]);
	free(info->units);
	span_list_free(&info->by_address);
	dwarf_functions_free(&info->functions);
	source_paths_free(&info->paths);
	free(info);
}

/* A search in progress. */
struct finding {
	struct dwarf_info *info;
	struct dwarf_unit *unit;
	const struct dwarf_info_query *query;
	struct place *place;
};

static int set_source(struct finding *finding, const char *source, uint32_t line,
		      struct place_frame *frame)
{
	if (!source)
		return 0;
	frame->source = source_paths_find(&finding->info->paths,
					  dwarf_unit_folder(&finding->unit->die), source);
	frame->line = line;
	return frame->source ? 0 : -ENOMEM;
}

/* Finds the line of the code itself. */
static int find_line(struct finding *finding, struct place_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&finding->unit->die, finding->query->address);
	int number;

	if (!line || dwarf_lineno(line, &number) || number < 0)
		return 0;
	return set_source(finding, dwarf_linesrc(line, NULL, NULL), (uint32_t)number, frame);
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &number) || number > UINT32_MAX
		       ? 0
		       : (uint32_t)number;
}

/* Finds the line of the inlined call. */
static int find_call(struct finding *finding, Dwarf_Die *inlined, struct place_frame *frame)
{
	Dwarf_Files *files;
	size_t count;
	uint32_t file = number_of(inlined, DW_AT_call_file);

	if (dwarf_getsrcfiles(&finding->unit->die, &files, &count) || file >= count)
		return 0;
	return set_source(finding, dwarf_filesrc(files, file, NULL, NULL),
			  number_of(inlined, DW_AT_call_line), frame);
}

/* Finds the function of a block; NULL: unknown. */
static int find_function(struct finding *finding, uint32_t number,
			 const struct dwarf_function **function)
{
	struct dwarf_block *block = &finding->unit->blocks[number];
	bool is_inlined = block->outer != DWARF_NO_BLOCK;
	int status = 0;

	if (block->function == DWARF_NO_BLOCK)
		status = dwarf_functions_find(&finding->info->functions, finding->unit, &block->die,
					      is_inlined ? NULL : finding->query->symbol,
					      &block->function);
	*function = status || block->function == DWARF_NO_BLOCK
			    ? NULL
			    : &finding->info->functions.list[block->function];
	return status;
}

static int name_inlined(struct finding *finding, uint32_t block, struct place_frame *frame)
{
	const struct dwarf_function *function;
	int status = find_function(finding, block, &function);

	if (function) {
		frame->symbol = function->symbol;
		frame->start = function->start;
	}
	return status;
}

/* Names the function that is really there by its symbol, though others may be aliases. */
static int name_function(struct finding *finding, uint32_t block, struct place_frame *frame)
{
	const struct symbol *symbol = finding->query->symbol;
	const struct dwarf_function *function;
	int status = find_function(finding, block, &function);

	if (!function)
		return status;
	if (!symbol)
		frame->symbol = function->symbol;
	else if (strcmp(symbol->name, function->name) == 0)
		*frame = (struct place_frame){ .symbol = function->symbol,
					       .start = function->start,
					       .source = frame->source,
					       .line = frame->line };
	return 0;
}

/* Adds a frame for an inlined function; the frame of its call follows. */
static int add_inlined(struct finding *finding, uint32_t block)
{
	struct place *place = finding->place;
	struct place_frame *frame = &place->frames[place->depth - 1];
	int status;

	*frame = (struct place_frame){ .source = frame->source, .line = frame->line };
	status = name_inlined(finding, block, frame);
	frame[1] = (struct place_frame){ 0 };
	place->depth++;
	if (!status && finding->query->lines)
		status = find_call(finding, &finding->unit->blocks[block].die, frame + 1);
	return status;
}

/* Puts the inlined functions before the function that is really there. */
static int add_functions(struct finding *finding)
{
	struct place *place = finding->place;
	struct place_frame function = place->frames[0];
	uint32_t block;
	int status = dwarf_unit_find(finding->unit, finding->query->address, &block);

	if (status || block == DWARF_NO_BLOCK)
		return status;
	for (; !status && finding->unit->blocks[block].outer != DWARF_NO_BLOCK;
	     block = finding->unit->blocks[block].outer) {
		if (place->depth < PLACE_DEPTH)
			status = add_inlined(finding, block);
		else
			*place_function(place) = (struct place_frame){ 0 };
	}
	place_function(place)->symbol = function.symbol;
	place_function(place)->start = function.start;
	return status ? status : name_function(finding, block, place_function(place));
}

int dwarf_info_find(struct dwarf_info *info, const struct dwarf_info_query *query,
		    struct place *place)
{
	const struct span *span = span_list_find(&info->by_address, query->address);
	struct finding finding = { .info = info, .query = query, .place = place };
	int status = 0;

	if (!span)
		return 0;
	finding.unit = &info->units[span->value];
	if (query->lines)
		status = find_line(&finding, &place->frames[0]);
	return !status && query->inlines ? add_functions(&finding) : status;
}
