/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "cut_piece.h"

#define DEEPEST 4096 /* deeper than any stack that is recorded */

/* An item of frames. */
struct frames_item {
	uint64_t key; /* of its first frame */
	struct record_frames *item;
	bool is_needed; /* by a sample of the piece */
};

/* The frames of all processes. */
struct frames_index {
	struct frames_item *items; /* by key */
	size_t count;
	struct hash known; /* keys of frames that are there with all of their callers -> 0 */
};

/* Frames are numbered in their process. */
static uint64_t key_of(uint32_t process, uint32_t frame)
{
	return (uint64_t)process << 32 | frame;
}

/* ---- frames ---- */

static int add_frames(struct frames_index *index, uint32_t process, struct record_frames *item,
		      struct err *err)
{
	struct frames_item *more = vec_room(index->items, index->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	index->items = more;
	more[index->count++] =
		(struct frames_item){ .key = key_of(process, item->first), .item = item };
	return 0;
}

static int by_key(const void *left, const void *right)
{
	const struct frames_item *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

static int find_frames(struct frames_index *index, const struct cut_piece *piece, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < piece->reader.count && !status; i++) {
		struct record_item *item = NULL;

		while (!status && (item = cut_next(&piece->reader.segments[i], item)))
			if (item->kind == RECORD_FRAMES)
				status = add_frames(index, piece->segments[i].process,
						    (struct record_frames *)item, err);
	}
	if (index->count)
		qsort(index->items, index->count, sizeof(*index->items), by_key);
	return status;
}

static uint64_t key_at(const void *items, size_t i)
{
	return ((const struct frames_item *)items)[i].key;
}

/* Returns the item that contains a frame; NULL: there is none so far. */
static struct frames_item *item_of(const struct frames_index *index, uint64_t key)
{
	size_t low = bisect(key_at, index->items, index->count, key);

	if (!low || key - index->items[low - 1].key >= index->items[low - 1].item->count)
		return NULL;
	return &index->items[low - 1];
}

static uint32_t caller_of(const struct frames_item *item, uint64_t key)
{
	return item->item->frames[key - item->key].caller;
}

/* Returns true if a stack is there down to its last frame. */
static bool is_complete(const struct frames_index *index, uint32_t process, uint32_t frame)
{
	for (int i = 0; i < DEEPEST && frame < RECORD_FRAME_MAX; i++) {
		uint64_t key = key_of(process, frame);
		const struct frames_item *item;

		if (hash_find(&index->known, key))
			return true;
		item = item_of(index, key);
		if (!item)
			return false;
		frame = caller_of(item, key);
	}
	return frame >= RECORD_FRAME_MAX;
}

/* Keeps the frames of a stack, as far as they are there. */
static int need_stack(struct frames_index *index, uint32_t process, uint32_t frame, struct err *err)
{
	while (frame < RECORD_FRAME_MAX) {
		uint64_t key = key_of(process, frame);
		struct frames_item *item = item_of(index, key);

		if (!item || hash_find(&index->known, key))
			return 0;
		if (!hash_place(&index->known, key))
			return err_no_memory(err);
		item->is_needed = true;
		frame = caller_of(item, key);
	}
	return 0;
}

/* ---- samples ---- */

/* Returns true if a comes later than b. Offsets decide between equal times: a sandboxed process may
 * write to space that it has reserved long before. */
static bool is_later(const struct cut_newest *a, const struct cut_newest *b)
{
	return a->time > b->time || (a->time == b->time && a->offset > b->offset);
}

static int note_newest(struct cut_piece *piece, uint64_t chain, const struct cut_newest *item,
		       struct err *err)
{
	uint32_t *place = hash_place(&piece->by_chain, chain);
	struct cut_newest *more;

	if (!place)
		return err_no_memory(err);
	if (*place != HASH_NONE) {
		if (is_later(item, &piece->newest[*place]))
			piece->newest[*place] = *item;
		return 0;
	}
	more = vec_room(piece->newest, piece->newest_count, sizeof(*more));
	if (!more)
		return err_no_memory(err);
	piece->newest = more;
	*place = (uint32_t)piece->newest_count;
	more[piece->newest_count++] = *item;
	return 0;
}

static int find_newest(struct cut_piece *piece, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < piece->reader.count && !status; i++) {
		struct record_item *item = NULL;

		while (!status && (item = cut_next(&piece->reader.segments[i], item))) {
			struct cut_newest newest = {
				.time = ((const struct record_samples *)item)->time,
				.offset = cut_offset_of(piece, i, item),
			};

			if (item->kind == RECORD_SAMPLES)
				status = note_newest(piece, piece->segments[i].chain, &newest, err);
		}
	}
	return status;
}

static bool is_newest(const struct cut_piece *piece, size_t segment, uint64_t offset)
{
	const uint32_t *place = hash_find(&piece->by_chain, piece->segments[segment].chain);

	return place && piece->newest[*place].offset == offset;
}

static int add_gone(struct cut_piece *piece, size_t segment, const struct record_item *item,
		    struct err *err)
{
	struct cut_gone *more = vec_room(piece->gone, piece->gone_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	piece->gone = more;
	more[piece->gone_count++] = (struct cut_gone){
		.segment = segment,
		.at = (size_t)((const char *)item - piece->reader.segments[segment].bytes),
		.size = item->size,
	};
	return 0;
}

/* Samples of an item, from one that pieces do not have yet to one that is left for later. */
struct part {
	uint32_t from, to;
	uint64_t time, reached; /* before the first; with the last */
};

/* Decides how many samples to take. Frames may be written while the recording is read, behind the
 * place that was read already: then the next cut has them. */
static int choose(struct cut_piece *piece, struct frames_index *index, size_t segment,
		  const struct record_samples *samples, struct part *part, struct err *err)
{
	uint32_t process = piece->segments[segment].process, limit = part->to;
	bool is_final = cut_is_final(piece, segment);
	int status = 0;

	for (part->to = part->from; part->to < limit && !status; part->to++) {
		const struct record_sample *sample = &samples->samples[part->to];
		uint32_t frame = sample->frame & ~RECORD_SAMPLE_BLOCKED;

		if (!is_final && !is_complete(index, process, frame))
			return 0;
		status = need_stack(index, process, frame, err);
		part->reached += (uint64_t)sample->time << samples->time_shift;
		piece->ns += (uint64_t)sample->weight * samples->weight_ns;
	}
	return status;
}

static void keep_part(struct record_samples *samples, const struct part *part)
{
	samples->count = part->to - part->from;
	samples->time = part->time;
	memmove(samples->samples, samples->samples + part->from,
		samples->count * sizeof(samples->samples[0]));
	if (!samples->count)
		samples->item.kind = 0;
}

static int take_item(struct cut_piece *piece, struct frames_index *index, size_t segment,
		     struct record_samples *samples, struct err *err)
{
	uint64_t offset = cut_offset_of(piece, segment, &samples->item);
	const struct cut_mark *mark = cut_taken_find(&piece->cut->taken, offset);
	bool is_open = is_newest(piece, segment, offset) && !cut_is_final(piece, segment);
	bool is_held = is_open && samples->count && piece->cut->writers == FINISH_TARGETS;
	uint32_t count = samples->count, before = mark ? mark->count : 0;
	struct part part = { .from = before < count ? before : count,
			     .to = count - is_held,
			     .time = mark ? mark->time : samples->time };
	int status;

	part.reached = part.time;
	status = choose(piece, index, segment, samples, &part, err);
	if (!status && (is_open || part.to < count)) {
		struct cut_mark after = { .offset = offset,
					  .count = part.to > before ? part.to : before,
					  .time = part.reached };

		status = cut_taken_add(&piece->after, &after, err);
	} else if (!status) {
		status = add_gone(piece, segment, &samples->item, err);
	}
	if (part.to > part.from)
		cut_want(piece, segment);
	piece->samples += part.to - part.from;
	keep_part(samples, &part);
	return status;
}

static int take_all(struct cut_piece *piece, struct frames_index *index, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < piece->reader.count && !status; i++) {
		struct record_item *item = NULL;

		while (!status && (item = cut_next(&piece->reader.segments[i], item)))
			if (item->kind == RECORD_SAMPLES)
				status = take_item(piece, index, i, (struct record_samples *)item,
						   err);
	}
	return status;
}

static void leave_out_frames(const struct frames_index *index)
{
	for (size_t i = 0; i < index->count; i++)
		if (!index->items[i].is_needed)
			index->items[i].item->item.kind = 0;
}

int cut_samples_take(struct cut_piece *piece, struct err *err)
{
	struct frames_index index = { 0 };
	int status = find_frames(&index, piece, err);

	if (!status)
		status = find_newest(piece, err);
	if (!status)
		status = take_all(piece, &index, err);
	if (!status)
		leave_out_frames(&index);
	free(index.items);
	hash_free(&index.known);
	return status;
}
