/* SPDX-License-Identifier: MIT */
#include "chunk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chunk_rows.h"
#include "row_binary.h"

/* The first text of a file, with the version of its format. */
#define MAGIC "dwell chunk 3"

/* Enough for any number. */
#define NUMBER_BYTES 24

static const struct {
	const char *name;
	const char *receipts; /* SQL by which the index finds receipts */
	const char *events;   /* the sum in a receipt in words */
	const char *insert;
} tables[] = {
	[CHUNK_SAMPLES] = { "samples_local", "stack = 0", "samples", sql_insert_samples },
	[CHUNK_CALLS] = { "calls_local", "library = '' AND symbol = ''", "events of calls",
			  sql_insert_calls },
};

static size_t end_of_samples(const struct piece *piece, size_t from)
{
	const struct piece_row *first = &piece->rows[from];
	size_t until = from;

	while (until < piece->count && piece->rows[until].origin == first->origin &&
	       piece->rows[until].win / PIECE_HOUR_S == first->win / PIECE_HOUR_S)
		until++;
	return until;
}

static size_t end_of_calls(const struct piece *piece, size_t from)
{
	const struct piece_call *list = piece->calls.list;
	size_t until = from;

	while (until < piece->calls.count && list[until].origin == list[from].origin)
		until++;
	return until;
}

struct chunk_part chunk_next(const struct piece *piece, const struct chunk_part *previous)
{
	struct chunk_part part = { .table = previous ? previous->table : CHUNK_SAMPLES,
				   .from = previous ? previous->until : 0 };

	if (part.table == CHUNK_SAMPLES && part.from == piece->count)
		part = (struct chunk_part){ .table = CHUNK_CALLS };
	if (part.table == CHUNK_SAMPLES)
		part.until = end_of_samples(piece, part.from);
	else
		part.until = end_of_calls(piece, part.from);
	return part;
}

/* Each server draws a number for the host; the highest wins. */
size_t chunk_server(const struct server_url *url, const char *host)
{
	uint64_t highest = 0;
	size_t best = 0;

	for (size_t i = 0; i < url->count; i++) {
		uint64_t drawn = hash_bytes(hash_bytes(0, host, strlen(host)), url->hosts[i],
					    strlen(url->hosts[i]));

		/* The last bytes of a hash like this vary more in the low bits. */
		drawn = (drawn ^ drawn >> 29) * UINT64_C(0x9e3779b97f4a7c15);
		if (i == 0 || drawn > highest ||
		    (drawn == highest && strcmp(url->hosts[i], url->hosts[best]) < 0)) {
			highest = drawn;
			best = i;
		}
	}
	return best;
}

/* Hashes what makes a chunk the same one, however often it is read. Returns no 0, which rows that
 * are no receipts have. */
static uint64_t number_of(const struct load_chunk *chunk, const struct origin_labels *origin)
{
	const char *texts[] = { origin->service, origin->version, origin->host, origin->job,
				origin->labels };
	uint32_t numbers[] = { (uint32_t)origin->rank, chunk->hour / PIECE_HOUR_S };
	uint64_t hash = hash_bytes(0, &origin->identity, sizeof(origin->identity));

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		hash = hash_bytes(hash, texts[i], strlen(texts[i]) + 1);
	hash = hash_bytes(hash, numbers, sizeof(numbers));
	if (chunk->table == CHUNK_CALLS)
		hash = hash_bytes(hash, "calls", 5);
	return hash ? hash : 1;
}

/* Sums up what is sent. */
static void count(struct load_chunk *chunk, const struct piece *piece,
		  const struct chunk_part *part)
{
	chunk->row_count = part->until - part->from;
	for (size_t i = part->from; i < part->until; i++) {
		if (part->table == CHUNK_SAMPLES) {
			chunk->amount += piece->rows[i].count;
			chunk->whole += piece->rows[i].count;
		} else {
			chunk->amount += piece->calls.list[i].row->calls;
			chunk->whole += piece_call_events(&piece->calls.list[i]);
		}
	}
}

static int write_bodies(struct load_chunk *chunk, const struct piece *piece,
			const struct chunk_part *part)
{
	FILE *rows = open_memstream(&chunk->rows, &chunk->rows_size);
	FILE *stacks = open_memstream(&chunk->stacks, &chunk->stacks_size);
	int status = rows && stacks ? 0 : -ENOMEM;

	if (!status && part->table == CHUNK_SAMPLES)
		status = chunk_rows_samples(chunk, piece, part, rows, stacks);
	else if (!status)
		status = chunk_rows_calls(chunk, piece, part, rows);
	if (rows && fclose(rows))
		status = -ENOMEM;
	if (stacks && fclose(stacks))
		status = -ENOMEM;
	return status;
}

int chunk_make(struct load_chunk *chunk, const struct piece *piece, const struct chunk_part *part,
	       struct err *err)
{
	bool is_calls = part->table == CHUNK_CALLS;
	uint32_t number =
		is_calls ? piece->calls.list[part->from].origin : piece->rows[part->from].origin;
	const struct origin_labels *origin = &piece->origins[number];
	uint32_t second = is_calls ? origin->started_s : piece->rows[part->from].win;

	*chunk = (struct load_chunk){ .table = part->table,
				      .service = strdup(origin->service),
				      .host = strdup(origin->host),
				      .hour = second - second % PIECE_HOUR_S };
	chunk->number = number_of(chunk, origin);
	count(chunk, piece, part);
	if (!chunk->service || !chunk->host || write_bodies(chunk, piece, part)) {
		chunk_free(chunk);
		return err_no_memory(err);
	}
	return 0;
}

static void write_chunk(const struct load_chunk *chunk, FILE *out)
{
	row_binary_put_text(MAGIC, out);
	row_binary_put(chunk->table, 1, out);
	row_binary_put_text(chunk->service, out);
	row_binary_put_text(chunk->host, out);
	row_binary_put(chunk->hour, 4, out);
	row_binary_put(chunk->number, 8, out);
	row_binary_put(chunk->amount, 8, out);
	row_binary_put(chunk->whole, 8, out);
	row_binary_put(chunk->row_count, 8, out);
	row_binary_put_bytes(chunk->stacks, chunk->stacks_size, out);
	row_binary_put_bytes(chunk->rows, chunk->rows_size, out);
}

int chunk_write(const struct load_chunk *chunk, const char *url, struct spool_message *message,
		struct err *err)
{
	FILE *out;

	*message = (struct spool_message){ .title = strdup(chunk->host), .url = strdup(url) };
	/* The same run again has the same number, and takes its place. */
	snprintf(message->id, sizeof(message->id), "%016" PRIx64 "%08" PRIx32 "%08x", chunk->number,
		 chunk->hour, (unsigned)chunk->table);
	out = open_memstream(&message->body, &message->size);
	if (out)
		write_chunk(chunk, out);
	if (out && !fclose(out) && message->title && message->url)
		return 0;
	spool_message_free(message);
	return err_no_memory(err);
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
	*chunk = (struct load_chunk){ .table = (enum chunk_table)row_binary_take(&rows, 1) };
	chunk->service = row_binary_take_text(&rows);
	chunk->host = row_binary_take_text(&rows);
	chunk->hour = (uint32_t)row_binary_take(&rows, 4);
	chunk->number = row_binary_take(&rows, 8);
	chunk->amount = row_binary_take(&rows, 8);
	chunk->whole = row_binary_take(&rows, 8);
	chunk->row_count = (size_t)row_binary_take(&rows, 8);
	chunk->stacks = take_body(&rows, &chunk->stacks_size);
	chunk->rows = take_body(&rows, &chunk->rows_size);
	if (!rows.is_short && rows.at == rows.end && chunk->table < CHUNK_TABLES &&
	    chunk->service && chunk->host && chunk->stacks && chunk->rows)
		return 0;
	chunk_free(chunk);
	return err_set(err, EINVAL, "is damaged");
}

void chunk_free(struct load_chunk *chunk)
{
	free(chunk->service);
	free(chunk->host);
	free(chunk->rows);
	free(chunk->stacks);
	*chunk = (struct load_chunk){ 0 };
}

/* Asks how much of the chunk is stored. */
static int ask_stored(const struct load_chunk *chunk, const struct server *server, uint64_t *stored,
		      struct err *err)
{
	char first[NUMBER_BYTES], last[NUMBER_BYTES], number[NUMBER_BYTES];
	char *service = sql_text(chunk->service), *host = sql_text(chunk->host);
	const struct sql_part parts[] = { { "table", tables[chunk->table].name },
					  { "receipts", tables[chunk->table].receipts },
					  { "service", service },
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
	*stored = row_binary_take(&rows, 8);
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
	if (stored == chunk->whole)
		return 0;
	if (stored)
		return err_set(err, EEXIST,
			       "%" PRIu64 " of %" PRIu64 " %s are stored already: it was "
			       "loaded before it was complete",
			       stored, chunk->whole, tables[chunk->table].events);
	*outcome = CHUNK_STORED;
	if (chunk->stacks_size)
		status = server_insert(server, sql_insert_stacks, chunk->stacks, chunk->stacks_size,
				       err);
	return status ? status
		      : server_insert(server, tables[chunk->table].insert, chunk->rows,
				      chunk->rows_size, err);
}
