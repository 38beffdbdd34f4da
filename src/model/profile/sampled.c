/* SPDX-License-Identifier: MIT */
#include "sampled.h"

#include <stdlib.h>

#include "base/vec.h"

#define MISSING_FRAMES 1000000

/* Marks a depth while the stack is followed. */
#define UNSETTLED UINT16_MAX

/* Returns true if a segment may have frames and samples, and the offset of their process's
 * segment. */
static bool find_owner(const struct reader *reader, const struct reader_segment *segment,
		       uint64_t *process)
{
	const struct reader_segment *thread = segment;

	if (segment->kind != RECORD_THREAD && segment->kind != RECORD_COUNTS)
		return false;
	if (segment->kind == RECORD_COUNTS)
		thread = reader_segment_at(reader, segment->owner);
	/* If the thread is damaged, its other segments still share stacks. */
	if (!thread || thread->kind != RECORD_THREAD)
		thread = segment;
	*process = thread->owner;
	return true;
}

/* Makes room for frames with numbers below `count`. */
static int make_room(struct sampled_process *process, size_t count, struct err *err)
{
	size_t room = process->room ? process->room : 256;
	struct sampled_frame *more;

	while (room < count)
		room *= 2;
	if (room != process->room) {
		more = realloc(process->frames, room * sizeof(*more));
		if (!more)
			return err_no_memory(err);
		process->frames = more;
		process->room = room;
	}
	for (; process->count < count; process->count++)
		process->frames[process->count] =
			(struct sampled_frame){ .first = HASH_NONE,
						.known = { HASH_NONE, HASH_NONE } };
	return 0;
}

static int add_item(struct sampled *sampled, struct sampled_process *process,
		    const struct record_frames *frames, struct err *err)
{
	size_t end = (size_t)frames->first + frames->count;
	size_t more = end > process->count ? end - process->count : 0;
	int status;

	/* Numbers are assigned in order, so there are at most as many as fit in the recording. */
	if (more > sampled->frames_max - sampled->frame_count)
		return 0;
	sampled->frame_count += more;
	status = more ? make_room(process, end, err) : 0;
	for (uint32_t i = 0; i < frames->count && !status; i++)
		process->frames[frames->first + i].record = &frames->frames[i];
	return status;
}

/* Finds the number of the process whose segment is at an offset. */
static int find_process(struct sampled *sampled, uint64_t offset, uint32_t *number, struct err *err)
{
	uint32_t *place = hash_place(&sampled->by_offset, offset);
	struct sampled_process *more;

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		more = vec_room(sampled->processes, sampled->process_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		sampled->processes = more;
		*place = (uint32_t)sampled->process_count++;
		sampled->processes[*place] = (struct sampled_process){ 0 };
	}
	*number = *place;
	return 0;
}

static int read_segment(struct sampled *sampled, const struct sampled_segment *segment,
			struct err *err)
{
	const struct record_item *item = NULL;
	uint32_t number = 0;
	int status = find_process(sampled, segment->owner, &number, err);

	while (!status && (item = reader_next(segment->segment, item)))
		if (item->kind == RECORD_FRAMES)
			status = add_item(sampled, &sampled->processes[number],
					  (const struct record_frames *)item, err);
	return status;
}

/* Returns the largest possible number of frames. The size in the header cannot be trusted: a table
 * of as many would be larger than any memory. */
static size_t most_frames(const struct reader *reader)
{
	/* Numbers may have been taken by threads killed before they wrote anything. */
	size_t bytes = MISSING_FRAMES * sizeof(struct record_frame);

	for (size_t i = 0; i < reader->count; i++)
		bytes += reader->segments[i].end;
	return bytes / sizeof(struct record_frame);
}

static int add_segment(struct sampled *sampled, const struct sampled_segment *segment,
		       struct err *err)
{
	struct sampled_segment *more =
		vec_room(sampled->segments, sampled->segment_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	sampled->segments = more;
	sampled->segments[sampled->segment_count++] = *segment;
	return 0;
}

static int by_run(const void *left, const void *right)
{
	const struct sampled_segment *a = left, *b = right;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return (a->segment > b->segment) - (a->segment < b->segment);
}

int sampled_open(struct sampled *sampled, const struct reader *reader, const struct maps *maps,
		 struct err *err)
{
	int status = 0;

	*sampled = (struct sampled){ .frames_max = most_frames(reader) };
	for (size_t i = 0; i < reader->count && !status; i++) {
		struct sampled_segment segment = { .segment = &reader->segments[i] };

		if (!find_owner(reader, segment.segment, &segment.owner))
			continue;
		segment.process = maps_process(maps, segment.owner);
		segment.run = segment.process ? segment.process->run : 0;
		status = add_segment(sampled, &segment, err);
	}
	if (sampled->segment_count)
		qsort(sampled->segments, sampled->segment_count, sizeof(*sampled->segments),
		      by_run);
	return status;
}

static void forget(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->process_count; i++)
		free(sampled->processes[i].frames);
	free(sampled->processes);
	hash_free(&sampled->by_offset);
	sampled->processes = NULL;
	sampled->process_count = 0;
}

int sampled_read(struct sampled *sampled, size_t first, size_t *end, struct err *err)
{
	const struct sampled_segment *segments = sampled->segments;
	size_t i = first;
	int status = 0;

	forget(sampled);
	for (; i < sampled->segment_count && segments[i].run == segments[first].run && !status; i++)
		status = read_segment(sampled, &segments[i], err);
	*end = i;
	return status;
}

void sampled_close(struct sampled *sampled)
{
	forget(sampled);
	free(sampled->segments);
	*sampled = (struct sampled){ 0 };
}

struct sampled_process *sampled_process(const struct sampled *sampled, uint64_t offset)
{
	const uint32_t *number = hash_find(&sampled->by_offset, offset);

	return number ? &sampled->processes[*number] : NULL;
}

struct sampled_frame *sampled_frame(const struct sampled_process *process, uint32_t number)
{
	if (!process || number >= process->count || !process->frames[number].record)
		return NULL;
	return &process->frames[number];
}

/* Returns why an outermost frame has no caller. */
static enum record_stack_end end_of(const struct sampled_frame *outermost)
{
	uint32_t caller = outermost->record->caller;

	return caller >= RECORD_FRAME_LAST(0) && caller <= RECORD_FRAME_LAST(RECORD_STACK_BROKEN)
		       ? caller - RECORD_FRAME_LAST(0)
		       : RECORD_STACK_BROKEN;
}

uint32_t sampled_depth(const struct sampled_process *process, struct sampled_frame *frame)
{
	struct sampled_frame *path[SAMPLED_DEPTH], *at = frame;
	uint32_t count = 0, depth, end;

	for (; at && !at->depth && count < SAMPLED_DEPTH;
	     at = sampled_frame(process, at->record->caller)) {
		at->depth = UNSETTLED;
		path[count++] = at;
	}
	depth = at && at->depth != UNSETTLED ? at->depth : 0;
	end = depth ? at->end : 0;
	while (count) {
		depth = depth % SAMPLED_DEPTH + 1;
		if (depth == 1)
			end = end_of(path[count - 1]);
		path[--count]->depth = (uint16_t)depth;
		path[count]->end = (uint8_t)end;
	}
	return frame->depth;
}

struct sampled_frame *sampled_caller(const struct sampled_process *process,
				     struct sampled_frame *frame)
{
	return sampled_depth(process, frame) > 1 ? sampled_frame(process, frame->record->caller)
						 : NULL;
}

enum record_stack_end sampled_end(const struct sampled_process *process,
				  struct sampled_frame *frame)
{
	sampled_depth(process, frame);
	return frame->end;
}
