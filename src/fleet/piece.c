/* SPDX-License-Identifier: MIT */
#include "piece.h"

#include <stdlib.h>

#include "stack_hash.h"

/* Finds the labels of each run. A recording without any has one that is unknown. */
static int find_origins(struct piece *piece, const struct reader *reader, const struct runs *runs,
			const struct label_list *labels, struct err *err)
{
	size_t count = runs->count ? runs->count : 1;
	int status = 0;

	piece->origins = calloc(count, sizeof(*piece->origins));
	if (!piece->origins)
		return err_no_memory(err);
	for (size_t i = 0; i < count && !status; i++) {
		struct run run = runs_get(runs, (uint32_t)i);

		status = origin_labels_find(&piece->origins[i], reader, &run, piece->profile,
					    labels, err);
		piece->origin_count += !status;
	}
	return status;
}

/* Returns the run of each thread of a profile, in an array; free it. NULL: no memory. */
static uint32_t *runs_of_threads(const struct profile *profile, const struct reader *reader,
				 const struct runs *runs)
{
	uint32_t *list = calloc(profile->thread_count + 1, sizeof(*list));

	for (size_t i = 0; list && i < profile->thread_count; i++) {
		const struct maps_process *process = profile->threads[i].process;
		const struct reader_segment *segment =
			process ? reader_segment_at(reader, process->offset) : NULL;

		list[i] = segment ? runs_find(runs, segment) : 0;
	}
	return list;
}

/* Makes a row of each sample. */
static int add_rows(struct piece *piece, const struct reader *reader, const struct runs *runs,
		    uint32_t window_s, struct err *err)
{
	const struct profile *profile = piece->profile;
	uint64_t started_ns = reader->header.started_unix_ns;
	uint32_t *origins = runs_of_threads(profile, reader, runs);

	piece->hashes = stack_hash_nodes(profile);
	piece->rows = calloc(profile->sample_count + 1, sizeof(*piece->rows));
	if (!origins || !piece->hashes || !piece->rows) {
		free(origins);
		return err_no_memory(err);
	}
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_stack *stack = &profile->stacks[sample->stack];
		uint64_t second = (started_ns + sample->time_ns) / 1000000000;
		uint32_t at = second < UINT32_MAX ? (uint32_t)second : UINT32_MAX;

		piece->rows[i] = (struct piece_row){ .origin = origins[stack->thread],
						     .win = at - at % window_s,
						     .stack = piece->hashes[stack->node],
						     .node = stack->node,
						     .count = 1,
						     .ns = sample->ns };
	}
	piece->count = profile->sample_count;
	free(origins);
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
	struct runs runs;
	int status = runs_read(&runs, reader, err);

	*piece = (struct piece){ .profile = profile, .window_s = options->window_s };
	if (status)
		return status;
	piece->losses = piece_losses_find(reader, &runs);
	status = piece->losses ? find_origins(piece, reader, &runs, options->labels, err)
			       : err_no_memory(err);
	if (!status && profile)
		status = add_rows(piece, reader, &runs, options->window_s, err);
	if (!status) {
		merge_rows(piece);
		status = piece_calls_make(&piece->calls, reader, &runs, err);
	}
	runs_free(&runs);
	if (status)
		piece_free(piece);
	return status;
}

void piece_free(struct piece *piece)
{
	for (size_t i = 0; i < piece->origin_count; i++)
		origin_labels_free(&piece->origins[i]);
	free(piece->origins);
	free(piece->losses);
	free(piece->hashes);
	free(piece->rows);
	piece_calls_free(&piece->calls);
	*piece = (struct piece){ 0 };
}
