/* SPDX-License-Identifier: MIT */
#include "profile_arcs.h"

#include "base/vec.h"

/* Returns the next item of arcs in a segment; NULL: no more. */
static const struct record_arcs *next_arcs(const struct reader_segment *segment,
					   const struct record_arcs *previous)
{
	const struct record_item *item = previous ? &previous->item : NULL;

	while ((item = reader_next(segment, item)))
		if (item->kind == RECORD_ARCS)
			return (const struct record_arcs *)item;
	return NULL;
}

static bool is_complete(const struct record_arc *arc)
{
	return arc->self && arc->count;
}

/* Finds the frame of the function that is really there, not of an inlined one. */
static int find_frame(struct profile *profile, const struct frames_place *place, uint32_t *frame,
		      struct err *err)
{
	struct frames_found found;
	int status = frames_find(&profile->resolver, place, &found, err);

	*frame = found.number;
	while (!status && profile_frame(profile, *frame)->outer != HASH_NONE)
		*frame = profile_frame(profile, *frame)->outer;
	return status;
}

static int add_arc(struct profile *profile, const struct maps_process *process, uint64_t time,
		   const struct record_arc *record, struct err *err)
{
	struct profile_arc *more = vec_room(profile->arcs, profile->arc_count, sizeof(*more));
	struct profile_arc arc = { .count = record->count };
	struct frames_place from = {
		.process = process, .address = record->from, .time = time, .is_return = true
	};
	struct frames_place self = { .process = process, .address = record->self, .time = time };
	int status;

	if (!more)
		return err_no_memory(err);
	profile->arcs = more;
	status = find_frame(profile, &from, &arc.caller, err);
	if (!status)
		status = find_frame(profile, &self, &arc.callee, err);
	if (!status)
		profile->arcs[profile->arc_count++] = arc;
	return status;
}

static int take_segment(struct profile *profile, const struct reader_segment *segment,
			const struct maps_process *process, struct err *err)
{
	const struct record_arcs *arcs = NULL;
	int status = 0;

	while (!status && (arcs = next_arcs(segment, arcs)))
		for (uint32_t i = 0; i < arcs->count && !status; i++)
			if (is_complete(&arcs->arcs[i]))
				status = add_arc(profile, process, arcs->time, &arcs->arcs[i], err);
	return status;
}

int profile_arcs_read(struct profile *profile, const struct reader *reader,
		      const struct profile_filter *filter, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		const struct maps_process *process = maps_process(&profile->maps, segment->owner);

		if (process && (!filter->pid || process->process->pid == filter->pid))
			status = take_segment(profile, segment, process, err);
	}
	return status;
}

uint64_t profile_arcs_sum(const struct reader *reader)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < reader->count; i++) {
		const struct record_arcs *arcs = NULL;

		while ((arcs = next_arcs(&reader->segments[i], arcs)))
			for (uint32_t j = 0; j < arcs->count; j++)
				sum += is_complete(&arcs->arcs[j]) ? arcs->arcs[j].count : 0;
	}
	return sum;
}
