/* SPDX-License-Identifier: MIT */
#include "export_common.h"

#include <stdlib.h>
#include <string.h>

const char *export_process_title(const struct profile_thread *thread)
{
	return profile_title(thread->process ? thread->process->process->command : "?");
}

uint32_t export_pid(const struct profile_thread *thread)
{
	return thread->process ? thread->process->process->pid : 0;
}

uint64_t export_process(const struct profile_thread *thread)
{
	return profile_process_number(thread->process);
}

uint64_t export_thread(const struct profile_thread *thread)
{
	return export_process(thread) - export_pid(thread) + thread->tid;
}

/* Returns whether the object of a map is known, and a program. */
static bool is_program(const struct profile *profile, const struct record_map *map)
{
	const struct symbolizer *symbolizer = &profile->functions.symbolizer;

	for (size_t i = 0; i < symbolizer->count; i++) {
		const struct symbolizer_object *object = symbolizer->objects[i];

		if (object->module && strcmp(object->path, map->path) == 0 &&
		    elf_module_is_program(object->module))
			return true;
	}
	return false;
}

/* Returns the first map of a program or, if none is known to be one, the first of an object: Linux
 * maps programs below their libraries, unless the stack is unlimited, and before them. */
const struct record_map *export_program(const struct profile *profile)
{
	const struct maps_process *process =
		profile->thread_count ? profile->threads[0].process : NULL;
	const struct record_map *first = NULL;

	/* A process that was never sampled may have counted its calls. */
	if (!process && profile->arc_count)
		process = profile->maps.processes;

	/* A child inherits the maps of its parent. */
	while (process && process->mapped.count == 0)
		process = process->parent;
	for (size_t i = 0; process && i < process->mapped.count; i++) {
		const struct record_map *map = process->mapped.events[i].map;

		if (!map || *map->path != '/')
			continue;
		if (is_program(profile, map))
			return map;
		if (!first)
			first = map;
	}
	return first;
}

uint64_t export_amount(const struct export_source *source, const struct profile_amount *amount,
		       enum export_unit usual)
{
	enum export_unit unit = source->unit;

	/* Samples of an event stand for a number of them, which is what the user wants to see. */
	if (unit == EXPORT_UNIT_DEFAULT)
		unit = source->profile->totals.event ? EXPORT_UNIT_NS : usual;

	return unit == EXPORT_UNIT_NS ? amount->ns : amount->samples;
}

struct export_type export_type(const struct profile *profile)
{
	if (profile->totals.event)
		return (struct export_type){ profile->totals.event, "count" };
	return (struct export_type){ profile->totals.is_wall ? "wall" : "cpu", "nanoseconds" };
}

uint64_t export_started_unix_ns(const struct export_source *source)
{
	uint64_t skipped = source->filter->has_time ? (uint64_t)(source->filter->from_s * 1e9) : 0;

	return source->reader->header.started_unix_ns + skipped;
}

uint64_t export_duration_ns(const struct export_source *source)
{
	const struct record_header *header = &source->reader->header;
	const struct profile_filter *filter = source->filter;
	double from = 0, until = 0;

	if (header->ended.ns > header->started.ns)
		until = (double)(header->ended.ns - header->started.ns);
	if (filter->has_time) {
		from = filter->from_s * 1e9;
		until = filter->until_s * 1e9 < until ? filter->until_s * 1e9 : until;
	}
	return until > from ? (uint64_t)(until - from) : 0;
}

uint64_t export_period(const struct export_source *source)
{
	const struct profile *profile = source->profile;
	const struct record_event *event = reader_event(source->reader);

	if (event)
		return event->period;
	return profile->totals.hz ? 1000000000 / profile->totals.hz : 0;
}

const char **export_sources(const struct profile *profile)
{
	const char **sources = calloc(profile->functions.count, sizeof(*sources));

	for (size_t i = 0; sources && i < profile->resolver.count; i++) {
		const struct frame *frame = &profile->resolver.list[i];

		if (frame->source && !sources[frame->function])
			sources[frame->function] = frame->source;
	}
	return sources;
}

/* Returns the next outer frame that is not hidden. */
static uint32_t outer_of(const struct profile *profile, uint32_t number)
{
	do
		number = profile_frame(profile, number)->outer;
	while (number != HASH_NONE &&
	       profile->functions.list[profile_frame(profile, number)->function].is_hidden);
	return number;
}

uint32_t export_inlined(const struct profile *profile, const struct profile_stack *stack,
			uint32_t place)
{
	const uint32_t *frames = profile_frames(profile, stack);
	uint32_t at = place;

	while (at + 1 < stack->depth && outer_of(profile, frames[at]) == frames[at + 1])
		at++;
	return at + 1 - place;
}

bool export_is_inlined(const struct profile *profile, uint32_t node)
{
	uint32_t caller = profile->tree.nodes[node].caller;

	return caller != PROFILE_ROOT &&
	       outer_of(profile, profile->tree.nodes[node].key) == profile->tree.nodes[caller].key;
}

struct order {
	const struct profile *profile;
	bool by_thread;
};

static int in_order(const void *left, const void *right, void *argument)
{
	uint32_t numbers[] = { *(const uint32_t *)left, *(const uint32_t *)right };
	const struct order *order = argument;
	const struct profile *profile = order->profile;
	const struct profile_sample *a = &profile->samples[numbers[0]];
	const struct profile_sample *b = &profile->samples[numbers[1]];
	uint32_t threads[] = { profile->stacks[a->stack].thread, profile->stacks[b->stack].thread };

	if (order->by_thread && threads[0] != threads[1])
		return threads[0] < threads[1] ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]);
}

uint32_t *export_in_order(const struct profile *profile, bool by_thread)
{
	struct order order = { .profile = profile, .by_thread = by_thread };
	uint32_t *list = calloc(profile->sample_count + 1, sizeof(*list));

	for (size_t i = 0; list && i < profile->sample_count; i++)
		list[i] = (uint32_t)i;
	if (list)
		qsort_r(list, profile->sample_count, sizeof(*list), in_order, &order);
	return list;
}

/* Returns the node of a stack at that depth at most. */
static uint32_t outwards(const struct profile *profile, const struct profile_stack *stack,
			 uint32_t depth)
{
	uint32_t node = stack->node;

	for (uint32_t i = stack->depth; i > depth; i--)
		node = profile->tree.nodes[node].caller;
	return node;
}

int export_compare_stacks(const struct profile *profile, const struct profile_stack *a,
			  const struct profile_stack *b)
{
	uint32_t left = outwards(profile, a, b->depth), right = outwards(profile, b, a->depth);
	int order = (a->depth > b->depth) - (a->depth < b->depth);

	/* The outermost difference decides, up to where the stacks share their nodes. */
	for (; left != right;
	     left = profile->tree.nodes[left].caller, right = profile->tree.nodes[right].caller) {
		uint32_t one = profile_node_function(profile, left);
		uint32_t other = profile_node_function(profile, right);

		if (one != other)
			order = one < other ? -1 : 1;
	}
	return order;
}

static int by_thread_and_functions(const void *left, const void *right, void *argument)
{
	const struct profile *profile = argument;
	const struct profile_stack *a = &profile->stacks[*(const uint32_t *)left];
	const struct profile_stack *b = &profile->stacks[*(const uint32_t *)right];

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return export_compare_stacks(profile, a, b);
}

uint32_t *export_sorted_stacks(const struct profile *profile, size_t *count)
{
	uint32_t *list = calloc(profile->stack_count + 1, sizeof(*list));

	*count = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < profile->stack_count; i++)
		if (!profile->stacks[i].is_left_out)
			list[(*count)++] = (uint32_t)i;
	qsort_r(list, *count, sizeof(*list), by_thread_and_functions, (void *)profile);
	return list;
}
