/* SPDX-License-Identifier: MIT */
#include "chunk_rows.h"

#include <stdlib.h>

#include "row_binary.h"

/* Writes the columns that all tables begin with. */
static void write_origin(const struct origin_labels *origin, FILE *out)
{
	row_binary_put_text(origin->service, out);
	row_binary_put_text(origin->version, out);
	row_binary_put_text(origin->host, out);
	row_binary_put((uint32_t)origin->rank, 4, out);
	row_binary_put_text(origin->job, out);
	row_binary_put_text(origin->labels, out);
}

static void write_row(const struct load_chunk *chunk, const struct piece *piece,
		      const struct piece_row *row, FILE *out)
{
	write_origin(&piece->origins[row->origin], out);
	row_binary_put_text(piece->profile->totals.is_wall ? "wall" : "cpu", out);
	row_binary_put(row->win, 4, out);
	row_binary_put(row->stack, 8, out);
	row_binary_put(row->count < UINT32_MAX ? row->count : UINT32_MAX, 4, out);
	row_binary_put(row->ns, 8, out);
	row_binary_put(chunk->number, 8, out);
}

/* Lists the nodes of a stack, the outermost first. Returns their number. */
static size_t list_nodes(const struct profile *profile, uint32_t node, uint32_t *nodes)
{
	size_t depth = 0, i = 0;

	for (uint32_t at = node; at != PROFILE_ROOT; at = profile->tree.nodes[at].caller)
		nodes[depth++] = at;
	for (; i < depth / 2; i++) {
		uint32_t other = nodes[i];

		nodes[i] = nodes[depth - 1 - i];
		nodes[depth - 1 - i] = other;
	}
	return depth;
}

static void write_stack(const struct piece *piece, const struct piece_row *row, uint32_t *nodes,
			FILE *out)
{
	const struct profile *profile = piece->profile;
	size_t depth = list_nodes(profile, row->node, nodes);

	row_binary_put(row->stack, 8, out);
	row_binary_put_length(depth, out);
	for (size_t i = 0; i < depth; i++)
		row_binary_put(piece->hashes[nodes[i]], 8, out);
	for (int column = 0; column < 2; column++) {
		row_binary_put_length(depth, out);
		for (size_t i = 0; i < depth; i++) {
			const struct function *function =
				&profile->functions.list[profile_node_function(profile, nodes[i])];

			row_binary_put_text(column ? function->object : function->name, out);
		}
	}
}

int chunk_rows_samples(const struct load_chunk *chunk, const struct piece *piece,
		       const struct chunk_part *part, FILE *rows, FILE *stacks)
{
	uint32_t *nodes = calloc(piece->profile->tree.count, sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	for (size_t i = part->from; i < part->until; i++) {
		write_row(chunk, piece, &piece->rows[i], rows);
		/* They are sorted by their stacks. */
		if (i == part->from || piece->rows[i].stack != piece->rows[i - 1].stack)
			write_stack(piece, &piece->rows[i], nodes, stacks);
	}
	free(nodes);
	return 0;
}

/* Writes the bins that are not empty, and their counts. */
static void write_histogram(const struct histogram *histogram, FILE *out)
{
	size_t used = 0;

	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		used += histogram->bins[i] > 0;
	row_binary_put_length(used, out);
	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		if (histogram->bins[i] > 0)
			row_binary_put(i, 2, out);
	row_binary_put_length(used, out);
	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		if (histogram->bins[i] > 0)
			row_binary_put((uint64_t)histogram->bins[i], 8, out);
}

static void write_times(const struct piece *piece, const struct piece_call *call, FILE *out)
{
	const struct timescale *scale = &piece->calls.calls.scale;
	const struct calls_row *row = call->row;
	const struct calls_sums *sums = row->sums;
	struct histogram in_ns = { 0 };

	row_binary_put((uint64_t)call->spent_ns, 8, out);
	row_binary_put((uint64_t)call->total_ns, 8, out);
	row_binary_put((uint64_t)call->self_ns, 8, out);
	row_binary_put(sums && sums->again, 1, out);
	row_binary_put(sums ? sums->weight : 0, 8, out);
	row_binary_put(sums ? sums->squares : 0, 8, out);
	row_binary_put(row->min_ns, 8, out);
	row_binary_put(row->max_ns, 8, out);
	if (sums)
		histogram_add_scaled(&in_ns, &sums->histogram, scale->ns_per_tick);
	write_histogram(&in_ns, out);
}

int chunk_rows_calls(const struct load_chunk *chunk, const struct piece *piece,
		     const struct chunk_part *part, FILE *out)
{
	const struct calls *calls = &piece->calls.calls;
	const char *timing = calls->counted ? "none" : calls->sampled ? "sampled" : "all";

	for (size_t i = part->from; i < part->until; i++) {
		const struct piece_call *call = &piece->calls.list[i];
		const struct origin_labels *origin = &piece->origins[call->origin];
		const struct calls_row *row = call->row;
		const uint64_t counts[] = { row->calls, row->returned, row->escaped, row->abandoned,
					    row->untimed };

		write_origin(origin, out);
		row_binary_put_text(timing, out);
		row_binary_put(origin->started_s - origin->started_s % piece->window_s, 4, out);
		row_binary_put_text(row->name, out);
		row_binary_put_text(row->symbol, out);
		row_binary_put_text(row->version ? row->version : "", out);
		row_binary_put_text(row->object, out);
		row_binary_put_text(row->caller ? row->caller : "", out);
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
			row_binary_put(counts[k], 8, out);
		write_times(piece, call, out);
		row_binary_put(chunk->number, 8, out);
	}
	return 0;
}
