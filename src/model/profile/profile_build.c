/* SPDX-License-Identifier: MIT */
#include "profile_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile_nodes.h"

int profile_build_init(struct profile_build *build, struct err *err)
{
	const struct functions_choice choice = { 0 };
	const struct functions_style style = { 0 };
	struct profile *profile = &build->profile;
	int status;

	*build = (struct profile_build){ 0 };
	status = functions_init(&profile->functions, &choice, &style, 0, err);
	if (!status)
		status = frames_init(&profile->resolver, &profile->functions, &profile->maps, err);
	if (!status)
		status = profile_nodes_init(profile, err);
	if (!status)
		status = profile_regions_init(&profile->regions, NULL, err);
	if (status)
		profile_build_free(build);
	return status;
}

void profile_build_free(struct profile_build *build)
{
	profile_free(&build->profile);
	match_table_free(&build->functions);
	match_table_free(&build->objects);
	match_table_free(&build->threads);
	free(build->frame_of);
	free(build->depth_of);
	*build = (struct profile_build){ 0 };
}

/* Finds a text in a table, which keeps it. */
static int intern(struct match_table *table, const char *text, uint32_t *number, struct err *err)
{
	return match_number(table, text, strlen(text) + 1, number) ? err_no_memory(err) : 0;
}

/* Adds a function that is new, and its frame. */
static int add_function(struct profile_build *build, const char *name, uint32_t object,
			uint32_t *frame, struct err *err)
{
	struct functions *functions = &build->profile.functions;
	struct frames *frames = &build->profile.resolver;
	struct function *more = vec_room(functions->list, functions->count, sizeof(*more));
	struct frame *more_frames = vec_room(frames->list, frames->count, sizeof(*more_frames));
	char *copy = strdup(name);

	functions->list = more ? more : functions->list;
	frames->list = more_frames ? more_frames : frames->list;
	if (!more || !more_frames || !copy || functions->count >= HASH_NONE) {
		free(copy);
		return err_no_memory(err);
	}
	functions->list[functions->count] = (struct function){
		.name = copy, .symbol = NULL, .object = build->objects.keys[object].bytes
	};
	*frame = (uint32_t)frames->count;
	frames->list[frames->count++] = (struct frame){ .function = (uint32_t)functions->count++,
							.outer = HASH_NONE,
							.next = HASH_NONE };
	return 0;
}

/* Finds the frame of a function. */
static int find_frame(struct profile_build *build, const char *name, const char *object,
		      uint32_t *frame, struct err *err)
{
	uint32_t file = 0, number = 0, *more;
	char *key;
	size_t known = build->functions.count, size = strlen(name) + 1 + sizeof(file);
	int status = intern(&build->objects, object, &file, err);

	if (status)
		return status;
	key = malloc(size);
	if (!key)
		return err_no_memory(err);
	memcpy(key, &file, sizeof(file));
	memcpy(key + sizeof(file), name, size - sizeof(file));
	status = match_number(&build->functions, key, size, &number) ? err_no_memory(err) : 0;
	free(key);
	if (status)
		return status;
	if (build->functions.count > known) {
		more = vec_room(build->frame_of, known, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		build->frame_of = more;
		status = add_function(build, name, file, &more[number], err);
	}
	if (!status)
		*frame = build->frame_of[number];
	return status;
}

/* Keeps the depth of a node; they come in the order of their numbers. */
static int keep_depth(struct profile_build *build, uint32_t node, uint32_t depth, struct err *err)
{
	uint32_t *more;

	for (; build->depth_room <= node; build->depth_room++) {
		more = vec_room(build->depth_of, build->depth_room, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		build->depth_of = more;
		more[build->depth_room] = 0;
	}
	build->depth_of[node] = depth;
	return 0;
}

int profile_build_node(struct profile_build *build, uint32_t caller, const char *name,
		       const char *object, uint32_t *node, struct err *err)
{
	uint32_t frame = FRAME_NOWHERE;
	int status = find_frame(build, name, object, &frame, err);

	if (status)
		return status;
	if (prefix_tree_find(&build->profile.tree, caller, frame, node))
		return err_no_memory(err);
	return keep_depth(build, *node, caller == PROFILE_ROOT ? 1 : build->depth_of[caller] + 1,
			  err);
}

static int find_thread(struct profile_build *build, const char *name, uint32_t *number,
		       struct err *err)
{
	struct profile *profile = &build->profile;
	size_t known = build->threads.count;
	struct profile_thread *more;
	int status = intern(&build->threads, name, number, err);

	if (status || build->threads.count == known)
		return status;
	more = vec_room(profile->threads, profile->thread_count, sizeof(*more));
	if (!more)
		return err_no_memory(err);
	profile->threads = more;
	more[profile->thread_count++] =
		(struct profile_thread){ .name = build->threads.keys[*number].bytes };
	return 0;
}

static void add_amount(struct profile_amount *sum, struct profile_amount amount)
{
	sum->samples += amount.samples;
	sum->ns += amount.ns;
}

int profile_build_add(struct profile_build *build, const char *thread, uint32_t node,
		      struct profile_amount amount, struct err *err)
{
	struct profile *profile = &build->profile;
	struct profile_stack *more = vec_room(profile->stacks, profile->stack_count, sizeof(*more));
	uint32_t number, depth = build->depth_of[node];
	int status;

	if (!more)
		return err_no_memory(err);
	profile->stacks = more;
	status = find_thread(build, thread, &number, err);
	if (status)
		return status;
	more[profile->stack_count++] = (struct profile_stack){
		.thread = number,
		.node = node,
		.depth = depth,
		.has_callers = depth > 1,
		.amount = amount,
	};
	add_amount(&profile->totals.seen, amount);
	add_amount(&profile->totals.kept, amount);
	profile->totals.has_stacks = profile->totals.has_stacks || depth > 1;
	return 0;
}

int profile_build_finish(struct profile_build *build, struct err *err)
{
	build->profile.totals.threads = build->profile.thread_count;
	return profile_nodes_finish(&build->profile, err);
}

/* Returns how many samples a stack gets: at least one. */
static uint64_t share_of(const struct profile_stack *stack, uint64_t each)
{
	uint64_t count = stack->amount.samples / each;

	return count ? count : 1;
}

int profile_build_samples(struct profile_build *build, size_t most, struct err *err)
{
	struct profile *profile = &build->profile;
	uint64_t each = profile->totals.seen.samples / (most ? most : 1) + 1, all = 0;

	for (size_t i = 0; i < profile->stack_count; i++)
		all += share_of(&profile->stacks[i], each);
	profile->samples = calloc(all + 1, sizeof(*profile->samples));
	if (!profile->samples)
		return err_no_memory(err);
	for (size_t i = 0; i < profile->stack_count; i++) {
		const struct profile_stack *stack = &profile->stacks[i];
		uint64_t count = share_of(stack, each), left = stack->amount.ns;

		for (; count; count--) {
			uint64_t ns = left / count;

			left -= ns;
			profile->samples[profile->sample_count++] =
				(struct profile_sample){ .ns = ns, .stack = (uint32_t)i };
		}
	}
	return 0;
}
