/* SPDX-License-Identifier: MIT */
#include "chunk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "row_binary.h"

/* The first text of a file, with the version of its format. */
#define MAGIC "dwell chunk 1"

/* Enough for any number. */
#define NUMBER_BYTES 24

size_t chunk_end(const struct piece *piece, size_t from)
{
	const struct piece_row *first = &piece->rows[from];
	size_t until = from;

	while (until < piece->count && piece->rows[until].origin == first->origin &&
	       piece->rows[until].win / PIECE_HOUR_S == first->win / PIECE_HOUR_S)
		until++;
	return until;
}

/* Each server draws a number for the host; the highest wins. */
const char *chunk_server(const struct server_url *url, const char *host)
{
	const char *best = NULL;
	uint64_t highest = 0;

	for (size_t i = 0; i < url->count; i++) {
		uint64_t drawn = hash_bytes(hash_bytes(0, host, strlen(host)), url->hosts[i],
					    strlen(url->hosts[i]));

		/* The last bytes of a hash like this vary more in the low bits. */
		drawn = (drawn ^ drawn >> 29) * UINT64_C(0x9e3779b97f4a7c15);
		if (!best || drawn > highest ||
		    (drawn == highest && strcmp(url->hosts[i], best) < 0)) {
			highest = drawn;
			best = url->hosts[i];
		}
	}
	return best;
}

static uint64_t number_of(const struct piece *piece, const struct piece_row *row)
{
	const struct origin_labels *origin = &piece->origins[row->origin];
	const char *texts[] = { origin->service, origin->version, origin->host, origin->job,
				origin->labels };
	uint32_t numbers[] = { (uint32_t)origin->rank, row->win / PIECE_HOUR_S };
	uint64_t hash = hash_bytes(0, &origin->identity, sizeof(origin->identity));

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		hash = hash_bytes(hash, texts[i], strlen(texts[i]) + 1);
	return hash_bytes(hash, numbers, sizeof(numbers));
}

static void write_row(const struct load_chunk *chunk, const struct piece *piece,
		      const struct piece_row *row, FILE *out)
{
	const struct origin_labels *origin = &piece->origins[row->origin];

	row_binary_put_text(origin->service, out);
	row_binary_put_text(origin->version, out);
	row_binary_put_text(origin->host, out);
	row_binary_put((uint32_t)origin->rank, 4, out);
	row_binary_put_text(origin->job, out);
	row_binary_put_text(origin->labels, out);
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

/* Writes each stack once; rows are sorted by it. */
static int write_stacks(struct load_chunk *chunk, const struct piece *piece, size_t from,
			size_t until, FILE *out)
{
	uint32_t *nodes = calloc(piece->profile->tree.count, sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	for (size_t i = from; i < until; i++) {
		if (i > from && piece->rows[i].stack == piece->rows[i - 1].stack)
			continue;
		write_stack(piece, &piece->rows[i], nodes, out);
		chunk->stack_count++;
	}
	free(nodes);
	return 0;
}

static int write_bodies(struct load_chunk *chunk, const struct piece *piece, size_t from,
			size_t until)
{
	FILE *rows = open_memstream(&chunk->rows, &chunk->rows_size);
	FILE *stacks = open_memstream(&chunk->stacks, &chunk->stacks_size);
	int status = rows && stacks ? 0 : -ENOMEM;

	for (size_t i = from; i < until && !status; i++)
		write_row(chunk, piece, &piece->rows[i], rows);
	if (!status)
		status = write_stacks(chunk, piece, from, until, stacks);
	if (rows && fclose(rows))
		status = -ENOMEM;
	if (stacks && fclose(stacks))
		status = -ENOMEM;
	return status;
}

int chunk_make(struct load_chunk *chunk, const struct piece *piece, size_t from, size_t until,
	       const struct server_url *url, struct err *err)
{
	const struct piece_row *row = &piece->rows[from];
	const struct origin_labels *origin = &piece->origins[row->origin];

	*chunk = (struct load_chunk){ .server = strdup(chunk_server(url, origin->host)),
				      .database = strdup(url->database),
				      .service = strdup(origin->service),
				      .host = strdup(origin->host),
				      .hour = row->win - row->win % PIECE_HOUR_S,
				      .number = number_of(piece, row),
				      .row_count = until - from };
	for (size_t i = from; i < until; i++)
		chunk->samples += piece->rows[i].count;
	if (!chunk->server || !chunk->database || !chunk->service || !chunk->host ||
	    write_bodies(chunk, piece, from, until)) {
		chunk_free(chunk);
		return err_no_memory(err);
	}
	return 0;
}

void chunk_write(const struct load_chunk *chunk, FILE *out)
{
	row_binary_put_text(MAGIC, out);
	row_binary_put_text(chunk->server, out);
	row_binary_put_text(chunk->database, out);
	row_binary_put_text(chunk->service, out);
	row_binary_put_text(chunk->host, out);
	row_binary_put(chunk->hour, 4, out);
	row_binary_put(chunk->number, 8, out);
	row_binary_put(chunk->samples, 8, out);
	row_binary_put(chunk->row_count, 8, out);
	row_binary_put(chunk->stack_count, 8, out);
	row_binary_put_bytes(chunk->stacks, chunk->stacks_size, out);
	row_binary_put_bytes(chunk->rows, chunk->rows_size, out);
}

static char *take_body(struct row_binary *rows, size_t *size)
{
	const char *bytes = row_binary_take_bytes(rows, size);
	char *body = malloc(*size + 1);

	if (body)
		memcpy(body, bytes, *size);
	return body;
}

int chunk_read(struct load_chunk *chunk, const void *bytes, size_t size, struct err *err)
{
	struct row_binary rows = row_binary_of(bytes, size);
	char *magic = row_binary_take_text(&rows);
	bool is_ours = magic && strcmp(magic, MAGIC) == 0;

	free(magic);
	if (!is_ours)
		return err_set(err, EINVAL, "was not written by this dwell");
	*chunk = (struct load_chunk){ .server = row_binary_take_text(&rows) };
	chunk->database = row_binary_take_text(&rows);
	chunk->service = row_binary_take_text(&rows);
	chunk->host = row_binary_take_text(&rows);
	chunk->hour = (uint32_t)row_binary_take(&rows, 4);
	chunk->number = row_binary_take(&rows, 8);
	chunk->samples = row_binary_take(&rows, 8);
	chunk->row_count = (size_t)row_binary_take(&rows, 8);
	chunk->stack_count = (size_t)row_binary_take(&rows, 8);
	chunk->stacks = take_body(&rows, &chunk->stacks_size);
	chunk->rows = take_body(&rows, &chunk->rows_size);
	if (!rows.is_short && rows.at == rows.end && chunk->server && chunk->database &&
	    chunk->service && chunk->host && chunk->stacks && chunk->rows)
		return 0;
	chunk_free(chunk);
	return err_set(err, EINVAL, "is damaged");
}

void chunk_free(struct load_chunk *chunk)
{
	free(chunk->server);
	free(chunk->database);
	free(chunk->service);
	free(chunk->host);
	free(chunk->rows);
	free(chunk->stacks);
	*chunk = (struct load_chunk){ 0 };
}

/* Asks how many of the chunk's samples are stored. */
static int ask_stored(const struct load_chunk *chunk, const struct server *server,
		      uint64_t *samples, struct err *err)
{
	char first[NUMBER_BYTES], last[NUMBER_BYTES], number[NUMBER_BYTES];
	char *service = sql_text(chunk->service), *host = sql_text(chunk->host);
	const struct sql_part parts[] = { { "service", service },
					  { "host", host },
					  { "first", first },
					  { "last", last },
					  { "chunk", number } };
	struct http_response response;
	struct row_binary rows;
	int status;

	/* Its hour: it may be stored with other windows. */
	snprintf(first, sizeof(first), "%" PRIu32, chunk->hour);
	snprintf(last, sizeof(last), "%" PRIu32, chunk->hour + PIECE_HOUR_S - 1);
	snprintf(number, sizeof(number), "%" PRIu64, chunk->number);
	status = service && host ? server_query(server, sql_stored, parts,
						sizeof(parts) / sizeof(parts[0]), &response, err)
				 : err_no_memory(err);
	free(service);
	free(host);
	if (status)
		return status;
	/* A sum of nothing is 0, or no row. */
	rows = row_binary_of(response.body, response.size);
	*samples = row_binary_take(&rows, 8);
	http_response_free(&response);
	return 0;
}

int chunk_send(const struct load_chunk *chunk, const struct server *server,
	       enum chunk_outcome *outcome, struct err *err)
{
	uint64_t stored = 0;
	int status = ask_stored(chunk, server, &stored, err);

	if (status)
		return status;
	*outcome = CHUNK_KNOWN;
	if (stored == chunk->samples)
		return 0;
	if (stored)
		return err_set(err, EEXIST,
			       "%" PRIu64 " of %" PRIu64 " samples are stored already: it was "
			       "loaded before it was complete",
			       stored, chunk->samples);
	*outcome = CHUNK_STORED;
	status = server_insert(server, sql_insert_stacks, chunk->stacks, chunk->stacks_size, err);
	return status ? status
		      : server_insert(server, sql_insert_samples, chunk->rows, chunk->rows_size,
				      err);
}
