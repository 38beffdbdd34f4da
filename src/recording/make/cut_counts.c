/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "cut_piece.h"

/* Turns a counter into what was added since the previous piece, and notes that in `taken`, what all
 * pieces together contain. Returns true if it has grown. */
static bool subtract(uint64_t *now, uint64_t *taken)
{
	uint64_t grown = *now > *taken ? *now - *taken : 0;

	*taken += grown;
	*now = grown;
	return grown;
}

/* ---- the head of a process ---- */

static int take_process(struct cut_piece *piece, size_t segment, struct err *err)
{
	struct reader_segment *from = &piece->reader.segments[segment];
	struct record_process *now = (struct record_process *)reader_process(from);
	const struct record_process *before =
		cut_taken_copy(&piece->cut->taken, from->offset, sizeof(*before));
	struct record_process taken = before ? *before : (struct record_process){ 0 };
	bool has_grown = subtract(&now->lost_threads, &taken.lost_threads);

	has_grown |= subtract(&now->lost_calls, &taken.lost_calls);
	has_grown |= subtract(&now->lost_functions, &taken.lost_functions);
	/* Every process is in the piece of its first cut, even one without samples. */
	if (has_grown || !before)
		cut_want(piece, segment);
	return cut_taken_keep(&piece->after, from->offset, &taken, sizeof(taken), err);
}

/* ---- losses ---- */

/* Later children may take over the time of those that ended without a sample, so that it is known
 * at the end only. */
static void subtract_unsampled(struct record_sampler *now, struct record_sampler *taken,
			       bool is_final)
{
	if (is_final)
		subtract(&now->unsampled_ns, &taken->unsampled_ns);
	else
		now->unsampled_ns = 0;
}

static int take_sampler(struct cut_piece *piece, size_t segment, struct record_sampler *now,
			struct err *err)
{
	uint64_t offset = cut_offset_of(piece, segment, &now->item);
	const struct record_sampler *before =
		cut_taken_copy(&piece->cut->taken, offset, sizeof(*before));
	struct record_sampler taken = before ? *before : (struct record_sampler){ 0 };
	bool is_lost = subtract(&now->lost, &taken.lost);

	is_lost |= subtract(&now->lost_ns, &taken.lost_ns);
	is_lost |= subtract(&now->unwatched_ns, &taken.unwatched_ns);
	is_lost |= subtract(&now->lost_regions, &taken.lost_regions);
	subtract(&now->coarse_ns, &taken.coarse_ns);
	if (!subtract(&now->slowed_ns, &taken.slowed_ns))
		now->slowest = 0;
	subtract_unsampled(now, &taken, cut_is_final(piece, segment));
	if (is_lost || now->unsampled_ns)
		cut_want(piece, segment);
	return cut_taken_keep(&piece->after, offset, &taken, sizeof(taken), err);
}

/* ---- arcs ---- */

/* Returns how often an arc was counted before. Its place in the item never changes. */
static uint64_t arc_before(const struct record_arcs *before, size_t size, uint32_t i)
{
	size_t end = sizeof(*before) + (i + (size_t)1) * sizeof(before->arcs[0]);

	return before && end <= size ? before->arcs[i].count : 0;
}

static int take_arcs(struct cut_piece *piece, size_t segment, struct record_arcs *now,
		     struct err *err)
{
	uint64_t offset = cut_offset_of(piece, segment, &now->item);
	const struct cut_mark *mark = cut_taken_find(&piece->cut->taken, offset);
	const struct record_arcs *before = mark ? (const struct record_arcs *)mark->copy : NULL;
	size_t size = sizeof(*now) + now->count * sizeof(now->arcs[0]);
	int status;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < now->count; i++)
		if (!now->arcs[i].self)
			now->arcs[i].count = 0; /* not written yet */
	status = cut_taken_keep(&piece->after, offset, now, size, err);
	for (uint32_t i = 0; i < now->count; i++) {
		struct record_arc arc = now->arcs[i];
		uint64_t taken = arc_before(before, mark ? mark->size : 0, i);

		if (subtract(&arc.count, &taken))
			now->arcs[kept++] = arc;
	}
	now->count = kept;
	if (kept)
		cut_want(piece, segment);
	else
		now->item.kind = 0;
	return status;
}

/* ---- the header ---- */

/* A reason stays with the pieces that have lost something because of it. */
static void take_header(struct cut_piece *piece)
{
	struct record_header *now = &piece->reader.header;
	const struct record_header *before = &piece->cut->header;
	uint64_t processes = before->scarcity.processes, programs = before->unreached.programs;
	bool was_scarce = before->scarcity.code;

	if (!subtract(&now->scarcity.processes, &processes) && was_scarce &&
	    now->scarcity.code != ENODATA)
		now->scarcity.code = 0;
	if (!subtract(&now->unreached.programs, &programs))
		now->unreached.code = 0;
}

static int take_items(struct cut_piece *piece, size_t segment, struct err *err)
{
	const struct reader_segment *from = &piece->reader.segments[segment];
	struct record_item *item = NULL;
	int status = 0;

	while (!status && (item = cut_next(from, item)))
		if (item->kind == RECORD_SAMPLER)
			status = take_sampler(piece, segment, (struct record_sampler *)item, err);
		else if (item->kind == RECORD_ARCS)
			status = take_arcs(piece, segment, (struct record_arcs *)item, err);
	return status;
}

int cut_counts_take(struct cut_piece *piece, struct err *err)
{
	int status = 0;

	take_header(piece);
	for (size_t i = 0; i < piece->reader.count && !status; i++) {
		const struct reader_segment *segment = &piece->reader.segments[i];

		if (segment->kind == RECORD_PROCESS)
			status = take_process(piece, i, err);
		if (!status && (segment->kind == RECORD_PROCESS || segment->kind == RECORD_NAMES))
			status = take_items(piece, i, err);
	}
	return status;
}
