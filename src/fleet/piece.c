/* SPDX-License-Identifier: MIT */
#include "piece.h"

#include <stdlib.h>

#include "base/vec.h"
#include "stack_hash.h"

/* The work of making a piece. */
struct making {
	struct piece *piece;
	const struct reader *reader;
	const struct piece_options *options;
	struct hash by_setup;       /* offset of a SETUP -> its origin */
	uint32_t *origin_of_thread; /* of the profile */
};

/* Finds the origin of a thread, by the SETUP of its process. */
static int find_origin(struct making *making, const struct profile_thread *thread, uint32_t *number,
		       struct err *err)
{
	struct piece *piece = making->piece;
	const struct reader_segment *process =
		thread->process ? reader_segment_at(making->reader, thread->process->offset) : NULL;
	const struct reader_segment *setup = process ? reader_setup_of(making->reader, process)
						     : reader_first(making->reader, RECORD_SETUP);
	uint32_t *place = hash_place(&making->by_setup, setup ? setup->offset : UINT64_MAX);
	struct origin_labels *more;
	int status;

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		more = vec_room(piece->origins, piece->origin_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		piece->origins = more;
		status = origin_labels_find(&more[piece->origin_count], making->reader, setup,
					    piece->profile, making->options->labels, err);
		if (status)
			return status;
		*place = (uint32_t)piece->origin_count++;
	}
	*number = *place;
	return 0;
}

static int find_origins(struct making *making, struct err *err)
{
	const struct profile *profile = making->piece->profile;
	int status = 0;

	making->origin_of_thread = calloc(profile->thread_count + 1, sizeof(uint32_t));
	if (!making->origin_of_thread)
		return err_no_memory(err);
	for (size_t i = 0; i < profile->thread_count && !status; i++)
		status = find_origin(making, &profile->threads[i], &making->origin_of_thread[i],
				     err);
	return status;
}

/* Makes a row of each sample. */
static int add_rows(struct making *making, struct err *err)
{
	struct piece *piece = making->piece;
	const struct profile *profile = piece->profile;
	uint64_t started_ns = making->reader->header.started_unix_ns;

	piece->rows = calloc(profile->sample_count + 1, sizeof(*piece->rows));
	if (!piece->rows)
		return err_no_memory(err);
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_stack *stack = &profile->stacks[sample->stack];
		uint64_t second = (started_ns + sample->time_ns) / 1000000000;
		uint32_t at = second < UINT32_MAX ? (uint32_t)second : UINT32_MAX;

		piece->rows[i] =
			(struct piece_row){ .origin = making->origin_of_thread[stack->thread],
					    .win = at - at % making->options->window_s,
					    .stack = piece->hashes[stack->node],
					    .node = stack->node,
					    .count = 1,
					    .ns = sample->ns };
	}
	piece->count = profile->sample_count;
	return 0;
}

static int by_place(const void *left, const void *right)
{
	const struct piece_row *a = left, *b = right;
	uint32_t hours[] = { a->win / PIECE_HOUR_S, b->win / PIECE_HOUR_S };

	if (a->origin != b->origin)
		return a->origin < b->origin ? -1 : 1;
	if (hours[0] != hours[1])
		return hours[0] < hours[1] ? -1 : 1;
	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	return (a->win > b->win) - (a->win < b->win);
}

/* Sums up rows of the same place. */
static void merge_rows(struct piece *piece)
{
	size_t kept = 0;

	if (piece->count)
		qsort(piece->rows, piece->count, sizeof(*piece->rows), by_place);
	for (size_t i = 0; i < piece->count; i++) {
		if (kept && by_place(&piece->rows[kept - 1], &piece->rows[i]) == 0) {
			piece->rows[kept - 1].count += piece->rows[i].count;
			piece->rows[kept - 1].ns += piece->rows[i].ns;
		} else {
			piece->rows[kept++] = piece->rows[i];
		}
	}
	piece->count = kept;
}

int piece_make(struct piece *piece, const struct reader *reader, const struct profile *profile,
	       const struct piece_options *options, struct err *err)
{
	struct making making = { .piece = piece, .reader = reader, .options = options };
	int status;

	*piece = (struct piece){ .profile = profile, .hashes = stack_hash_nodes(profile) };
	status = piece->hashes ? find_origins(&making, err) : err_no_memory(err);
	if (!status)
		status = add_rows(&making, err);
	if (!status)
		merge_rows(piece);
	hash_free(&making.by_setup);
	free(making.origin_of_thread);
	if (status)
		piece_free(piece);
	return status;
}

void piece_free(struct piece *piece)
{
	for (size_t i = 0; i < piece->origin_count; i++)
		origin_labels_free(&piece->origins[i]);
	free(piece->origins);
	free(piece->hashes);
	free(piece->rows);
	*piece = (struct piece){ 0 };
}
