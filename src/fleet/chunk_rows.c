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

/* The columns that all tables end with: a receipt has them, other rows have 0. */
struct receipt {
	uint64_t chunk, whole, losses[3];
};

static const struct receipt no_receipt;

static void write_receipt(const struct receipt *receipt, FILE *out)
{
	row_binary_put(receipt->chunk, 8, out);
	row_binary_put(receipt->whole, 8, out);
	for (size_t i = 0; i < sizeof(receipt->losses) / sizeof(receipt->losses[0]); i++)
		row_binary_put(receipt->losses[i], 8, out);
}

/* Writes a row of samples; without a stack, a receipt. */
static void write_row(const struct receipt *receipt, const struct piece *piece,
		      const struct piece_row *row, FILE *out)
{
	write_origin(&piece->origins[row->origin], out);
	row_binary_put_text(piece->profile->totals.is_wall ? "wall" : "cpu", out);
	row_binary_put(row->win, 4, out);
	row_binary_put(row->stack, 8, out);
	row_binary_put(row->count < UINT32_MAX ? row->count : UINT32_MAX, 4, out);
	row_binary_put(row->ns, 8, out);
	write_receipt(receipt, out);
}

/* Writes the receipt of samples. The first chunk of a run has the losses of the run. */
static void write_samples_receipt(const struct load_chunk *chunk, const struct piece *piece,
				  const struct chunk_part *part, FILE *out)
{
	const struct piece_row *first = &piece->rows[part->from];
	const struct piece_losses *losses = &piece->losses[first->origin];
	struct piece_row row = { .origin = first->origin, .win = first->win };
	struct receipt receipt = { .chunk = chunk->number, .whole = chunk->whole };

	for (size_t i = part->from; i < part->until; i++)
		if (piece->rows[i].win < row.win)
			row.win = piece->rows[i].win;
	if (part->from == 0 || first[-1].origin != first->origin) {
		receipt.losses[0] = losses->samples;
		receipt.losses[1] = losses->samples_ns;
		receipt.losses[2] = losses->unwatched_ns;
	}
	write_row(&receipt, piece, &row, out);
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
	write_samples_receipt(chunk, piece, part, rows);
	for (size_t i = part->from; i < part->until; i++) {
		write_row(&no_receipt, piece, &piece->rows[i], rows);
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

static void write_call(const struct receipt *receipt, const struct piece *piece,
		       const struct piece_call *call, FILE *out)
{
	const struct calls *calls = &piece->calls.calls;
	const struct origin_labels *origin = &piece->origins[call->origin];
	const struct calls_row *row = call->row;
	const uint64_t counts[] = { row->calls, row->returned, row->escaped, row->abandoned,
				    row->untimed };

	write_origin(origin, out);
	row_binary_put_text(calls->counted ? "none" : calls->sampled ? "sampled" : "all", out);
	row_binary_put(origin->started_s - origin->started_s % piece->window_s, 4, out);
	row_binary_put_text(row->name, out);
	row_binary_put_text(row->symbol, out);
	row_binary_put_text(row->version ? row->version : "", out);
	row_binary_put_text(row->object, out);
	row_binary_put_text(row->caller ? row->caller : "", out);
	for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
		row_binary_put(counts[k], 8, out);
	write_times(piece, call, out);
	write_receipt(receipt, out);
}

int chunk_rows_calls(const struct load_chunk *chunk, const struct piece *piece,
		     const struct chunk_part *part, FILE *out)
{
	static char nothing[1];
	const struct calls_row none = { .name = nothing, .symbol = nothing, .object = nothing };
	const struct piece_call first = { .origin = piece->calls.list[part->from].origin,
					  .row = &none };
	const struct piece_losses *losses = &piece->losses[first.origin];
	const struct receipt receipt = { chunk->number,
					 chunk->whole,
					 { losses->calls, losses->threads, losses->functions } };

	write_call(&receipt, piece, &first, out);
	for (size_t i = part->from; i < part->until; i++)
		write_call(&no_receipt, piece, &piece->calls.list[i], out);
	return 0;
}
