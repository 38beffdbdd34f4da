/* SPDX-License-Identifier: MIT */
#include "tail_chain.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "validate.h"

#define LONGEST_ITEM  (1 << 20) /* longer than any, as in reader.c */
#define PIECE         1024      /* frames or samples read at once */
#define PROCESS_LOOKS 3         /* by then, its head is complete */

int tail_chain_add(struct tail_chain *chain, const struct tail_segment *segment, struct err *err)
{
	struct tail_segment *more = vec_room(chain->segments, chain->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	chain->segments = more;
	chain->segments[chain->count++] = *segment;
	return 0;
}

void tail_chain_fini(struct tail_chain *chain)
{
	free(chain->segments);
	free(chain->samplers);
}

/* Returns 1 if all of the bytes exist, 0 if the file ends first, or -errno. */
static int read_at(const struct tail *tail, void *bytes, size_t size, uint64_t offset,
		   struct err *err)
{
	ssize_t got = pread(tail->fd, bytes, size, (off_t)offset);

	if (got < 0)
		return err_set(err, errno, "cannot read the recording: %s", strerror(errno));
	return (size_t)got == size;
}

/* Returns true if a valid item may begin there. */
static bool has_room(const struct record_item *item, uint64_t at, uint64_t end)
{
	return item->kind && item->size >= sizeof(*item) && item->size % 8 == 0 &&
	       item->size <= LONGEST_ITEM && item->size <= end - at;
}

/* Returns 1 and the head of the item at the cursor, 0 if there is none yet, or -errno. If the
 * writer has moved to another segment, this one gets no more. */
static int peek(const struct tail *tail, const struct tail_chain *chain, struct tail_cursor *cursor,
		struct record_item *item, struct err *err)
{
	for (; cursor->segment < chain->count; cursor->segment++, cursor->at = 0) {
		const struct tail_segment *segment = &chain->segments[cursor->segment];
		int there;

		if (!cursor->at)
			cursor->at = segment->items;
		there = cursor->at + sizeof(*item) <= segment->end
				? read_at(tail, item, sizeof(*item), cursor->at, err)
				: 0;
		if (there < 0)
			return there;
		if (there && has_room(item, cursor->at, segment->end))
			return 1;
		if (cursor->segment + 1 == chain->count)
			return 0;
	}
	return 0;
}

/* ---- growing items: frames and samples ---- */

/* Returns 1 if the head of an item being filled is valid, as far as it was written. */
static int read_head(const struct tail *tail, void *head, size_t size, uint64_t offset,
		     enum record_item_kind kind, struct err *err)
{
	const struct record_item *item = head;
	int there = read_at(tail, head, size, offset, err);

	if (there <= 0)
		return there;
	return item->kind == kind && item->size >= size && validate_item(item);
}

/* Returns 1 after all existing frames were handed out; or -errno. */
static int drain_frames(struct tail_reading *reading, struct tail_chain *chain, struct err *err)
{
	struct tail_item *open = &chain->names.open;
	struct record_frame frames[PIECE];
	struct record_frames head;
	int there = open->offset ? read_head(reading->tail, &head, sizeof(head), open->offset,
					     RECORD_FRAMES, err)
				 : 0;

	while (there > 0 && open->taken < head.count) {
		uint32_t count =
			head.count - open->taken < PIECE ? head.count - open->taken : PIECE;
		uint64_t offset = open->offset + sizeof(head) + open->taken * sizeof(frames[0]);
		int status = 0;

		there = read_at(reading->tail, frames, count * sizeof(frames[0]), offset, err);
		if (there > 0)
			status =
				reading->sink->frames(reading->sink->argument, chain->process,
						      head.first + open->taken, frames, count, err);
		if (status)
			return status;
		open->taken += there > 0 ? count : 0;
	}
	return there < 0 ? there : 1;
}

/* Returns how many samples are not later than `until`, and the time they reach. */
static uint32_t count_until(const struct record_samples *head, const struct record_sample *samples,
			    uint32_t count, uint64_t until, uint64_t *time)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t step = (uint64_t)samples[i].time << head->time_shift;

		/* The time of a damaged one wraps around, and is then never shown. */
		if (*time + step > until)
			return i;
		*time += step;
	}
	return count;
}

/*
 * Hands out what the last sample has got since it was: its thread has ended, and its time was added
 * there (samples_adjust()). If its time became less, that is not told: less than a tick. Returns 0
 * or -errno.
 */
static int hand_out_rest(struct tail_reading *reading, struct tail_chain *chain,
			 const struct record_samples *head, struct err *err)
{
	struct tail_item *open = &chain->samples.open;
	struct record_sample last;
	uint64_t offset = open->offset + sizeof(*head) + (open->taken - 1) * sizeof(last);
	struct tail_samples rest = {
		.head = head, .time = open->time, .samples = &last, .count = 1, .is_rest = true
	};
	int there = open->taken ? read_at(reading->tail, &last, sizeof(last), offset, err) : 0;
	uint16_t before = open->weight;

	if (there <= 0 || last.weight <= before)
		return there < 0 ? there : 0;
	open->weight = last.weight;
	last.weight = (uint16_t)(last.weight - before);
	last.time = 0;
	return reading->sink->samples(reading->sink->argument, chain->process, &rest, err);
}

/* Returns 1 after all existing samples were handed out, 0 if some are later than `until`, or
 * -errno. */
static int drain_samples(struct tail_reading *reading, struct tail_chain *chain, struct err *err)
{
	struct tail_item *open = &chain->samples.open;
	struct record_sample samples[PIECE];
	struct record_samples head;
	int there = open->offset ? read_head(reading->tail, &head, sizeof(head), open->offset,
					     RECORD_SAMPLES, err)
				 : 0;
	int failed = there > 0 ? hand_out_rest(reading, chain, &head, err) : 0;

	if (failed)
		return failed;
	while (there > 0 && open->taken < head.count) {
		uint32_t wanted =
			head.count - open->taken < PIECE ? head.count - open->taken : PIECE;
		uint64_t offset = open->offset + sizeof(head) + open->taken * sizeof(samples[0]);
		struct tail_samples some = { .head = &head, .samples = samples };
		int status;

		there = read_at(reading->tail, samples, wanted * sizeof(samples[0]), offset, err);
		if (there <= 0)
			break;
		if (open->taken == 0)
			open->time = head.time;
		some.time = open->time;
		some.count = count_until(&head, samples, wanted, reading->until, &open->time);
		status = some.count ? reading->sink->samples(reading->sink->argument,
							     chain->process, &some, err)
				    : 0;
		if (status)
			return status;
		open->taken += some.count;
		if (some.count)
			open->weight = samples[some.count - 1].weight;
		if (some.count < wanted)
			return 0;
	}
	return there < 0 ? there : 1;
}

typedef int drain(struct tail_reading *reading, struct tail_chain *chain, struct err *err);

/* Advances from one item of a kind to the next, while there is one and all before it was handed
 * out. */
static int read_grown(struct tail_reading *reading, struct tail_chain *chain,
		      struct tail_cursor *cursor, enum record_item_kind kind, drain *drain_open,
		      struct err *err)
{
	for (;;) {
		struct record_item item;
		/* First: if there is a next one, everything before it is complete. */
		int there = peek(reading->tail, chain, cursor, &item, err);
		int drained = there < 0 ? there : drain_open(reading, chain, err);

		if (drained <= 0 || there == 0)
			return drained < 0 ? drained : 0;
		if (item.kind == (uint32_t)kind)
			cursor->open = (struct tail_item){ .offset = cursor->at };
		cursor->at += item.size;
	}
}

int tail_chain_read_samples(struct tail_reading *reading, struct tail_chain *chain, struct err *err)
{
	return read_grown(reading, chain, &chain->samples, RECORD_SAMPLES, drain_samples, err);
}

int tail_chain_read_frames(struct tail_reading *reading, struct tail_chain *chain, struct err *err)
{
	return read_grown(reading, chain, &chain->names, RECORD_FRAMES, drain_frames, err);
}

/* ---- items of a process ---- */

static int report_process(struct tail_reading *reading, struct tail_chain *chain, struct err *err)
{
	struct record_process process;
	int there;

	if (chain->looks++ >= PROCESS_LOOKS)
		return 0;
	there = read_at(reading->tail, &process, sizeof(process),
			chain->first + sizeof(struct record_segment), err);
	if (there <= 0)
		return there;
	process.command[sizeof(process.command) - 1] = '\0';
	return reading->sink->process(reading->sink->argument, chain->first, &process, err);
}

static int add_sampler(struct tail_chain *chain, uint64_t offset, struct err *err)
{
	uint64_t *more = vec_room(chain->samplers, chain->sampler_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	chain->samplers = more;
	chain->samplers[chain->sampler_count++] = offset;
	return 0;
}

static int report_map(struct tail_reading *reading, struct tail_chain *chain, uint32_t size,
		      struct err *err)
{
	uint64_t offset = chain->names.at;
	struct record_item *item = malloc(size);
	int status;

	if (!item)
		return err_no_memory(err);
	status = read_at(reading->tail, item, size, offset, err);
	if (status > 0)
		status = item->size == size && validate_item(item)
				 ? reading->sink->mapped(reading->sink->argument, chain->process,
							 item, err)
				 : 0;
	free(item);
	return status;
}

int tail_chain_read_names(struct tail_reading *reading, struct tail_chain *chain, struct err *err)
{
	int status = report_process(reading, chain, err), there = 1;
	struct record_item item;

	while (!status && there > 0) {
		there = peek(reading->tail, chain, &chain->names, &item, err);
		if (there <= 0)
			return there;
		if (item.kind == RECORD_MAP || item.kind == RECORD_UNMAP ||
		    item.kind == RECORD_SCRIPT)
			status = report_map(reading, chain, item.size, err);
		else if (item.kind == RECORD_SAMPLER)
			status = add_sampler(chain, chain->names.at, err);
		chain->names.at += item.size;
	}
	return status;
}

uint64_t tail_chain_lost(const struct tail *tail, const struct tail_chain *chain)
{
	uint64_t lost = 0, one;

	for (size_t i = 0; i < chain->sampler_count; i++)
		if (pread(tail->fd, &one, sizeof(one),
			  (off_t)(chain->samplers[i] + offsetof(struct record_sampler, lost))) ==
		    sizeof(one))
			lost += one;
	return lost;
}

/* ---- giving back ---- */

/* Punches a hole of the whole pages between two offsets. Returns its end. Ignores a filesystem's
 * refusal. */
static uint64_t punch(const struct tail *tail, uint64_t from, uint64_t to)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	from = (from + page - 1) / page * page;
	to = to / page * page;
	if (from >= to)
		return from;
	fallocate(tail->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
		  (off_t)(to - from));
	return to;
}

/* Returns the offset up to which a cursor has read a segment, and it is complete. */
static uint64_t done_until(const struct tail_chain *chain, size_t place,
			   const struct tail_cursor *cursor)
{
	const struct tail_segment *segment = &chain->segments[place];
	uint64_t open = cursor->open.offset;

	if (open >= segment->offset && open < segment->end)
		return open;
	if (cursor->segment > place)
		return segment->end;
	return cursor->segment == place && cursor->at ? cursor->at : segment->items;
}

void tail_chain_recycle(struct tail *tail, struct tail_chain *chain)
{
	size_t gone = 0, kept = 0;

	for (size_t i = 0; i < chain->count; i++) {
		struct tail_segment *segment = &chain->segments[i];
		uint64_t samples = done_until(chain, i, &chain->samples);
		uint64_t frames = done_until(chain, i, &chain->names);
		uint64_t limit = samples < frames ? samples : frames;

		if (limit > segment->given_back)
			segment->given_back = punch(tail, segment->given_back, limit);
		/* Both cursors are behind the removed segments, so removal moves them. */
		if (limit == segment->end && chain->samples.segment > i && chain->names.segment > i)
			gone++;
		else
			chain->segments[kept++] = *segment;
	}
	chain->count = kept;
	chain->samples.segment -= gone;
	chain->names.segment -= gone;
}

void tail_chain_give_back(struct tail *tail, struct tail_chain *chain)
{
	for (size_t i = 0; i < chain->count; i++)
		punch(tail, chain->segments[i].offset, chain->segments[i].end);
}
