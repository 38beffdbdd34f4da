/* SPDX-License-Identifier: MIT */
#include "firefox_tables.h"

#include <stdlib.h>

#include "base/vec.h"
#include "export_common.h"

uint32_t firefox_list_place(struct firefox_list *list, uint64_t item, bool *failed)
{
	uint32_t *place = hash_place(&list->by_item, item);
	uint64_t *more = vec_room(list->items, list->count, sizeof(*more));

	if (more)
		list->items = more;
	if (!more || !place) {
		*failed = true;
		return 0;
	}
	if (*place == HASH_NONE) {
		*place = (uint32_t)list->count;
		list->items[list->count++] = item;
	}
	return *place;
}

static void free_list(struct firefox_list *list)
{
	free(list->items);
	hash_free(&list->by_item);
}

void firefox_tables_init(struct firefox_tables *tables, struct firefox_common *common)
{
	*tables = (struct firefox_tables){ .common = common };
}

void firefox_tables_free(struct firefox_tables *tables)
{
	free_list(&tables->stacks);
	free_list(&tables->by_frame);
	free_list(&tables->functions);
	free_list(&tables->symbols);
	free_list(&tables->resources);
	free(tables->frames);
}

void firefox_common_free(struct firefox_common *common)
{
	string_table_free(&common->strings);
	string_table_free(&common->sources);
	free_list(&common->libs);
}

uint32_t firefox_common_lib(struct firefox_common *common, const struct function *function)
{
	return function->file
		       ? firefox_list_place(&common->libs, function->file->number, &common->failed)
		       : HASH_NONE;
}

/* Returns the place of a function, and adds its library to the resources. */
static uint32_t function_place(struct firefox_tables *tables, uint32_t number)
{
	struct firefox_common *common = tables->common;
	const struct function *function = &common->profile->functions.list[number];
	uint32_t lib = firefox_common_lib(common, function);

	string_table_number(&common->strings, function->name);
	if (lib != HASH_NONE)
		firefox_list_place(&tables->resources, lib, &common->failed);
	return firefox_list_place(&tables->functions, number, &common->failed);
}

static uint32_t symbol_place(struct firefox_tables *tables, uint32_t number)
{
	return tables->common->profile->functions.list[number].file
		       ? firefox_list_place(&tables->symbols, number, &tables->common->failed)
		       : HASH_NONE;
}

/* Returns the place of a frame that is the inline_depth-th of its address; called: the function
 * that was actually called there. */
static uint32_t frame_place(struct firefox_tables *tables, uint32_t number, uint32_t inline_depth,
			    uint32_t called)
{
	size_t before = tables->by_frame.count;
	struct firefox_frame *more = vec_room(tables->frames, before, sizeof(*more));
	uint32_t place = firefox_list_place(&tables->by_frame, number, &tables->common->failed);

	if (more)
		tables->frames = more;
	else
		tables->common->failed = true;
	if (more && tables->by_frame.count > before)
		tables->frames[place] = (struct firefox_frame){
			.number = number,
			.inline_depth = inline_depth,
			.function = function_place(
				tables, profile_frame(tables->common->profile, number)->function),
			.symbol = symbol_place(tables, called),
		};
	return place;
}

/* Adds a stack from the outermost frame on, so that each stack's caller has a place before it.
 * ends: for each frame, the end of the frames with the same address. */
static uint32_t add_stack(struct firefox_tables *tables, const struct profile_stack *stack,
			  const uint32_t *ends)
{
	const struct profile *profile = tables->common->profile;
	uint32_t place = HASH_NONE;

	for (uint32_t i = stack->depth; i > 0; i--) {
		uint32_t frame =
			frame_place(tables, profile_frames(profile, stack)[i - 1], ends[i - 1] - i,
				    profile_function(profile, stack, ends[i - 1] - 1));
		uint64_t caller = place == HASH_NONE ? 0 : (uint64_t)place + 1;

		place = firefox_list_place(&tables->stacks, caller << 32 | frame,
					   &tables->common->failed);
	}
	return place;
}

uint32_t firefox_tables_stack(struct firefox_tables *tables, const struct profile_stack *stack)
{
	uint32_t *ends = calloc(stack->depth + 1, sizeof(*ends));
	uint32_t count, place = 0;

	if (!ends) {
		tables->common->failed = true;
		return 0;
	}
	for (uint32_t i = 0; i < stack->depth; i += count) {
		count = export_inlined(tables->common->profile, stack, i);
		for (uint32_t j = 0; j < count; j++)
			ends[i + j] = i + count;
	}
	place = add_stack(tables, stack, ends);
	free(ends);
	return place;
}
