/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cut_piece.h"

/* The octaves of the piece, by chain, function, caller and octave. */
struct octaves {
	struct record_octave **list;
	size_t count;
	struct hash by_key; /* -> index in list */
};

/* A function of a chain. */
struct row {
	uint64_t chain;
	uint32_t function, caller;
};

static uint64_t key_of(const struct row *row, uint32_t octave)
{
	uint64_t words[] = { row->chain, (uint64_t)row->function << 32 | row->caller, octave };

	return hash_bytes(0, words, sizeof(words));
}

/* Returns the octave of a row; NULL: none. Two rows may share a key. */
static struct record_octave *find(const struct octaves *octaves, const struct row *row,
				  uint32_t octave)
{
	const uint32_t *place = hash_find(&octaves->by_key, key_of(row, octave));
	struct record_octave *found = place ? octaves->list[*place] : NULL;

	return found && found->function == row->function && found->caller == row->caller &&
			       found->octave == octave
		       ? found
		       : NULL;
}

static size_t bins_of(uint32_t octave)
{
	return octave ? RECORD_BINS : 2 * RECORD_BINS;
}

/* Returns the shortest duration of a bin; that of the one behind it is longer than all in it. */
static uint64_t duration_of(uint32_t octave, size_t bin)
{
	return (uint64_t)(bin + (octave ? RECORD_BINS : 0)) << octave;
}

/* ---- octaves ---- */

static int add_octave(struct octaves *octaves, const struct row *row, struct record_octave *octave,
		      struct err *err)
{
	struct record_octave **more = vec_room(octaves->list, octaves->count, sizeof(*more));
	uint32_t *place = hash_place(&octaves->by_key, key_of(row, octave->octave));

	if (more)
		octaves->list = more;
	if (!more || !place)
		return err_no_memory(err);
	*place = (uint32_t)octaves->count;
	more[octaves->count++] = octave;
	return 0;
}

/* Turns its bins into what was added since the previous piece. */
static int take_octave(struct cut_piece *piece, size_t segment, struct record_octave *now,
		       struct err *err)
{
	uint64_t offset = cut_offset_of(piece, segment, &now->item);
	size_t bins = bins_of(now->octave), size = sizeof(*now) + bins * sizeof(now->bins[0]);
	const struct record_octave *before = cut_taken_copy(&piece->cut->taken, offset, size);
	int status = cut_taken_keep(&piece->after, offset, now, size, err);

	for (size_t i = 0; i < bins && before; i++)
		now->bins[i] -= before->bins[i] < now->bins[i] ? before->bins[i] : now->bins[i];
	return status;
}

static void leave_out_empty(const struct octaves *octaves)
{
	for (size_t i = 0; i < octaves->count; i++) {
		struct record_octave *octave = octaves->list[i];
		uint64_t sum = 0;

		for (size_t j = 0; j < bins_of(octave->octave); j++)
			sum |= octave->bins[j];
		if (!sum)
			octave->item.kind = 0;
	}
}

/* ---- calls ---- */

/* Removes a duration from the octaves: it was the `last` of the previous piece, and has got into
 * its bin since. */
static void forget_last(const struct octaves *octaves, const struct row *row, uint64_t duration)
{
	struct record_octave *found;
	uint32_t octave = 0;
	uint64_t bin;

	while (octave + 1 < RECORD_OCTAVES && duration >> octave >= 2 * RECORD_BINS)
		octave++;
	found = find(octaves, row, octave);
	bin = (duration >> octave) - (octave ? RECORD_BINS : 0);
	if (bin >= bins_of(octave))
		bin = bins_of(octave) - 1;
	if (found && found->bins[bin])
		found->bins[bin]--;
}

/* Finds the shortest and the longest duration since the previous piece, by their bins. A new record
 * is exact. */
static void find_extremes(const struct octaves *octaves, const struct row *row,
			  struct record_calls *now, const struct record_calls *before)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < RECORD_OCTAVES; i++) {
		const struct record_octave *octave = find(octaves, row, i);

		for (size_t j = 0; octave && j < bins_of(i); j++) {
			if (!octave->bins[j])
				continue;
			if (least == UINT64_MAX)
				least = duration_of(i, j);
			most = duration_of(i, j + 1) - 1;
		}
	}
	if (now->last != UINT64_MAX) {
		least = now->last < least ? now->last : least;
		most = now->last > most ? now->last : most;
	}
	if (now->min == before->min)
		now->min = least == UINT64_MAX || least > now->min ? least : now->min;
	if (now->max == before->max)
		now->max = most < now->max ? most : now->max;
}

/* Subtracts the times, which stand behind the counts. */
static void subtract_times(const struct octaves *octaves, const struct row *row,
			   struct record_calls *now, const struct record_calls *before)
{
	bool has_more = now->returned != before->returned || now->last != before->last;

	if (has_more && before->last != UINT64_MAX)
		forget_last(octaves, row, before->last);
	if (!has_more)
		now->last = UINT64_MAX;
	now->sum -= before->sum;
	now->again -= before->again;
	now->self = (int64_t)((uint64_t)now->self - (uint64_t)before->self);
	now->weight -= before->weight;
	now->squares -= before->squares;
	find_extremes(octaves, row, now, before);
}

/* Returns the end of the part that grows: the counts, or the times as well. */
static size_t bytes_of(const struct record_calls *calls)
{
	return reader_has_times(calls) ? sizeof(*calls) : offsetof(struct record_calls, sum);
}

static int take_calls(struct cut_piece *piece, const struct octaves *octaves, size_t segment,
		      struct record_calls *now, struct err *err)
{
	uint64_t offset = cut_offset_of(piece, segment, &now->item);
	size_t size = bytes_of(now);
	const struct record_calls *before = cut_taken_copy(&piece->cut->taken, offset, size);
	struct row row = { .chain = piece->segments[segment].chain,
			   .function = now->function,
			   .caller = now->caller };
	int status = cut_taken_keep(&piece->after, offset, now, size, err);

	if (status || !before)
		return status;
	if (reader_has_times(now))
		subtract_times(octaves, &row, now, before);
	now->calls -= before->calls;
	now->returned -= before->returned;
	now->escaped -= before->escaped;
	now->abandoned -= before->abandoned;
	now->untimed -= before->untimed;
	if (!(now->calls | now->returned | now->escaped | now->abandoned | now->untimed))
		now->item.kind = 0;
	return 0;
}

/* ---- waits ---- */

static int take_waits(struct cut_piece *piece, size_t segment, struct record_waits *now,
		      struct err *err)
{
	uint64_t offset = cut_offset_of(piece, segment, &now->item);
	const struct record_waits *before =
		cut_taken_copy(&piece->cut->taken, offset, sizeof(*now));
	int status = cut_taken_keep(&piece->after, offset, now, sizeof(*now), err);

	if (status || !before)
		return status;
	now->sum -= before->sum;
	now->watched -= before->watched;
	now->cpu_ns -= before->cpu_ns;
	now->calls -= before->calls;
	if (!(now->sum | now->calls))
		now->item.kind = 0;
	return 0;
}

typedef int take_item(struct cut_piece *piece, struct octaves *octaves, size_t segment,
		      struct record_item *item, struct err *err);

static int index_octave(struct cut_piece *piece, struct octaves *octaves, size_t segment,
			struct record_item *item, struct err *err)
{
	struct record_octave *octave = (struct record_octave *)item;
	struct row row = { .chain = piece->segments[segment].chain,
			   .function = octave->function,
			   .caller = octave->caller };
	int status;

	if (item->kind != RECORD_OCTAVE)
		return 0;
	status = take_octave(piece, segment, octave, err);
	return status ? status : add_octave(octaves, &row, octave, err);
}

static int subtract_calls(struct cut_piece *piece, struct octaves *octaves, size_t segment,
			  struct record_item *item, struct err *err)
{
	if (item->kind == RECORD_WAITS)
		return take_waits(piece, segment, (struct record_waits *)item, err);
	if (item->kind != RECORD_CALLS)
		return 0;
	return take_calls(piece, octaves, segment, (struct record_calls *)item, err);
}

static int want_calls(struct cut_piece *piece, struct octaves *octaves, size_t segment,
		      struct record_item *item, struct err *err)
{
	(void)octaves;
	(void)err;
	if (item->kind == RECORD_CALLS || item->kind == RECORD_OCTAVE)
		cut_want(piece, segment);
	return 0;
}

static int each_item(struct cut_piece *piece, struct octaves *octaves, take_item *take,
		     struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < piece->reader.count && !status; i++) {
		const struct reader_segment *segment = &piece->reader.segments[i];
		struct record_item *item = NULL;

		while (!status && (item = cut_next(segment, item)))
			status = take(piece, octaves, i, item, err);
	}
	return status;
}

int cut_calls_take(struct cut_piece *piece, struct err *err)
{
	struct octaves octaves = { 0 };
	int status = each_item(piece, &octaves, index_octave, err);

	if (!status)
		status = each_item(piece, &octaves, subtract_calls, err);
	if (!status) {
		leave_out_empty(&octaves);
		status = each_item(piece, &octaves, want_calls, err);
	}
	free(octaves.list);
	hash_free(&octaves.by_key);
	return status;
}
