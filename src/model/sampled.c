/* SPDX-License-Identifier: MIT */
#include "model/sampled.h"

#include <stdlib.h>

#include "base/vec.h"

static uint64_t key_of(uint32_t process, uint32_t id)
{
	return (uint64_t)process << 32 | id;
}

bool sampled_owner(const struct reader *reader, const struct reader_segment *segment,
		   uint64_t *process)
{
	if (segment->kind == RECORD_COUNTS)
		segment = reader_segment_at(reader, segment->owner);
	if (!segment || segment->kind != RECORD_THREAD)
		return false;
	*process = segment->owner;
	return true;
}

/* Where the place of a stack is kept; NULL: no memory. */
static uint32_t *place_for(struct sampled *sampled, uint32_t number, uint32_t id)
{
	struct sampled_process *process = &sampled->processes[number];
	uint32_t *more;

	if (id != process->count)
		return hash_place(&sampled->others, key_of(number, id));
	more = vec_room(process->places, process->count, sizeof(*more));
	if (!more)
		return NULL;
	process->places = more;
	return &process->places[process->count++];
}

static int add_stack(struct sampled *sampled, uint32_t process, const struct record_stack *record,
		     struct err *err)
{
	struct sampled_stack *more = vec_room(sampled->stacks, sampled->count, sizeof(*more));
	uint32_t *place;

	if (!more || sampled->count >= HASH_NONE)
		return err_no_memory(err);
	sampled->stacks = more;
	place = place_for(sampled, process, record->id);
	if (!place)
		return err_no_memory(err);
	*place = (uint32_t)sampled->count;
	sampled->stacks[sampled->count++] =
		(struct sampled_stack){ .record = record, .first = HASH_NONE };
	return 0;
}

/* The number of the process whose segment is at an offset. */
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

static int add_stacks(struct sampled *sampled, const struct reader_segment *segment,
		      uint64_t offset, struct err *err)
{
	const struct record_item *item = NULL;
	uint32_t process = 0;
	int status = find_process(sampled, offset, &process, err);

	while (!status && (item = reader_next(segment, item)))
		if (item->kind == RECORD_STACK)
			status =
				add_stack(sampled, process, (const struct record_stack *)item, err);
	return status;
}

int sampled_read(struct sampled *sampled, const struct reader *reader, struct err *err)
{
	uint64_t process;
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++)
		if (sampled_owner(reader, &reader->segments[i], &process))
			status = add_stacks(sampled, &reader->segments[i], process, err);
	return status;
}

void sampled_free(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->process_count; i++)
		free(sampled->processes[i].places);
	free(sampled->processes);
	free(sampled->stacks);
	hash_free(&sampled->others);
	hash_free(&sampled->by_offset);
	*sampled = (struct sampled){ 0 };
}

uint32_t sampled_process(const struct sampled *sampled, uint64_t offset)
{
	const uint32_t *number = hash_find(&sampled->by_offset, offset);

	return number ? *number : HASH_NONE;
}

struct sampled_stack *sampled_stack(const struct sampled *sampled, uint32_t process, uint32_t id)
{
	const uint32_t *place;

	if (process == HASH_NONE)
		return NULL;
	if (id < sampled->processes[process].count)
		return &sampled->stacks[sampled->processes[process].places[id]];
	place = hash_find(&sampled->others, key_of(process, id));
	return place ? &sampled->stacks[*place] : NULL;
}
