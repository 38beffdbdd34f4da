/* SPDX-License-Identifier: MIT */
#include "model/sampled.h"

#include <stdlib.h>

#include "base/vec.h"

static uint64_t key_of(uint32_t thread, uint32_t id)
{
	return (uint64_t)thread << 32 | id;
}

/* Where the thread begins that a segment is of. Whether there is such a thread does not matter
 * here: stacks and samples of one that lacks its beginning still belong together. */
static bool thread_offset(const struct reader_segment *segment, uint64_t *offset)
{
	*offset = segment->kind == RECORD_THREAD ? segment->offset : segment->owner;
	return segment->kind == RECORD_THREAD || segment->kind == RECORD_COUNTS;
}

/* Where the place of a stack is kept; NULL: no memory. */
static uint32_t *place_for(struct sampled *sampled, uint32_t number, uint32_t id)
{
	struct sampled_thread *thread = &sampled->threads[number];
	uint32_t *more;

	if (id != thread->count)
		return hash_place(&sampled->others, key_of(number, id));
	more = vec_room(thread->places, thread->count, sizeof(*more));
	if (!more)
		return NULL;
	thread->places = more;
	return &thread->places[thread->count++];
}

static int add_stack(struct sampled *sampled, uint32_t thread, const struct record_stack *record,
		     struct err *err)
{
	struct sampled_stack *more = vec_room(sampled->stacks, sampled->count, sizeof(*more));
	uint32_t *place;

	if (!more || sampled->count >= HASH_NONE)
		return err_no_memory(err);
	sampled->stacks = more;
	place = place_for(sampled, thread, record->id);
	if (!place)
		return err_no_memory(err);
	*place = (uint32_t)sampled->count;
	sampled->stacks[sampled->count++] =
		(struct sampled_stack){ .record = record, .first = HASH_NONE };
	return 0;
}

/* The number of the thread that begins at an offset. */
static int find_thread(struct sampled *sampled, uint64_t offset, uint32_t *number, struct err *err)
{
	uint32_t *place = hash_place(&sampled->by_offset, offset);
	struct sampled_thread *more;

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		more = vec_room(sampled->threads, sampled->thread_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		sampled->threads = more;
		*place = (uint32_t)sampled->thread_count++;
		sampled->threads[*place] = (struct sampled_thread){ 0 };
	}
	*number = *place;
	return 0;
}

static int add_stacks(struct sampled *sampled, const struct reader_segment *segment,
		      uint64_t offset, struct err *err)
{
	const struct record_item *item = NULL;
	uint32_t thread = 0;
	int status = find_thread(sampled, offset, &thread, err);

	while (!status && (item = reader_next(segment, item)))
		if (item->kind == RECORD_STACK)
			status = add_stack(sampled, thread, (const struct record_stack *)item, err);
	return status;
}

int sampled_read(struct sampled *sampled, const struct reader *reader, struct err *err)
{
	uint64_t offset;
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++)
		if (thread_offset(&reader->segments[i], &offset))
			status = add_stacks(sampled, &reader->segments[i], offset, err);
	return status;
}

void sampled_free(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->thread_count; i++)
		free(sampled->threads[i].places);
	free(sampled->threads);
	free(sampled->stacks);
	hash_free(&sampled->others);
	hash_free(&sampled->by_offset);
	*sampled = (struct sampled){ 0 };
}

bool sampled_owner(const struct sampled *sampled, const struct reader *reader,
		   const struct reader_segment *segment, const struct maps *maps, uint32_t *thread,
		   const struct maps_process **process)
{
	const struct reader_segment *first = segment;
	const uint32_t *number;
	uint64_t offset;

	if (!thread_offset(segment, &offset))
		return false;
	number = hash_find(&sampled->by_offset, offset);
	*thread = number ? *number : HASH_NONE;
	if (segment->kind == RECORD_COUNTS)
		first = reader_segment_at(reader, segment->owner);
	*process = first && first->kind == RECORD_THREAD ? maps_process(maps, first->owner) : NULL;
	return true;
}

struct sampled_stack *sampled_stack(const struct sampled *sampled, uint32_t thread, uint32_t id)
{
	const uint32_t *place;

	if (thread == HASH_NONE)
		return NULL;
	if (id < sampled->threads[thread].count)
		return &sampled->stacks[sampled->threads[thread].places[id]];
	place = hash_find(&sampled->others, key_of(thread, id));
	return place ? &sampled->stacks[*place] : NULL;
}
