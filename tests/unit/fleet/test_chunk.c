/* SPDX-License-Identifier: MIT */
#include "fleet/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/row_binary.h"
#include "model/profile/profile_build.h"
#include "tap.h"

#define HOUR (UINT32_C(490000) * PIECE_HOUR_S)

/* Two runs; the first has samples of two hours. */
static struct piece_row rows[] = {
	{ .origin = 0, .win = HOUR, .stack = 5, .node = 2, .count = 2, .ns = 20 },
	{ .origin = 0, .win = HOUR + 10, .stack = 5, .node = 2, .count = 1, .ns = 10 },
	{ .origin = 0, .win = HOUR + PIECE_HOUR_S, .stack = 5, .node = 2, .count = 1, .ns = 10 },
	{ .origin = 1, .win = HOUR, .stack = 5, .node = 1, .count = 4, .ns = 40 },
};

static char app[] = "app", one[] = "1", here[] = "here", there[] = "there", team[] = "a=b", none[1];

static struct origin_labels origins[] = {
	{ app, one, here, none, team, 3, HOUR + 7, 42 },
	{ app, one, there, none, none, ORIGIN_NO_RANK, HOUR + 7, 42 },
};

/* Calls of both runs; of the first, one is by another caller, and has not ended. */
static char inflate[] = "inflate";
static const struct calls_row call_rows[] = {
	{ .name = inflate, .symbol = inflate, .object = "libz", .calls = 5, .returned = 5 },
	{ .name = inflate, .symbol = inflate, .object = "libz", .caller = app, .calls = 1 },
	{ .name = inflate, .symbol = inflate, .object = "libz", .calls = 0, .returned = 1 },
};
static struct piece_call calls[] = {
	{ .origin = 0, .row = &call_rows[0], .spent_ns = 50, .total_ns = 50, .self_ns = 40 },
	{ .origin = 0, .row = &call_rows[1] },
	{ .origin = 1, .row = &call_rows[2], .spent_ns = 9, .total_ns = 9, .self_ns = 9 },
};

static struct piece_losses losses[] = {
	{ .samples = 11,
	  .samples_ns = 12,
	  .unwatched_ns = 13,
	  .calls = 14,
	  .threads = 15,
	  .functions = 16 },
	{ .samples = 21 },
};

static struct profile_build build;
static struct piece piece;
static struct server_url url;

static void make(void)
{
	static uint64_t hashes[] = { 0, 4, 5 };
	struct err err;
	uint32_t outer, inner;

	if (profile_build_init(&build, &err) ||
	    profile_build_node(&build, PROFILE_ROOT, "main", "app", &outer, &err) ||
	    profile_build_node(&build, outer, "work", "lib", &inner, &err) ||
	    profile_build_add(&build, "", inner, (struct profile_amount){ 1, 1 }, &err) ||
	    profile_build_finish(&build, &err) ||
	    server_url_parse(&url, "clickhouse://one,two,three/db", &err))
		bail_out(err.text);
	piece = (struct piece){ .profile = &build.profile,
				.hashes = hashes,
				.origins = origins,
				.origin_count = 2,
				.losses = losses,
				.rows = rows,
				.count = 4,
				.calls = { .list = calls, .count = 3 },
				.window_s = 10 };
}

static struct load_chunk chunk_of(const struct chunk_part *part)
{
	struct load_chunk chunk;
	struct err err;

	if (chunk_make(&chunk, &piece, part, &err))
		bail_out(err.text);
	return chunk;
}

/* Returns the chunk of the samples from a row on. */
static struct load_chunk chunk_at(size_t from)
{
	struct chunk_part before = { .until = from }, part = chunk_next(&piece, &before);

	return chunk_of(&part);
}

static void test_cuts(void)
{
	struct load_chunk first = chunk_at(0), second = chunk_at(2), other = chunk_at(3);

	ok(first.row_count == 2 && second.row_count == 1 && other.row_count == 1,
	   "chunks end where an hour or a run ends");
	ok(first.amount == 3 && first.whole == 3 && first.table == CHUNK_SAMPLES &&
		   first.hour == HOUR && second.hour == HOUR + PIECE_HOUR_S,
	   "a chunk knows its samples and its hour");
	ok(first.number != second.number && first.number != other.number,
	   "each has a number of its own");
	chunk_free(&first);
	chunk_free(&second);
	chunk_free(&other);
}

static void test_numbers(void)
{
	struct load_chunk before = chunk_at(0), after;

	rows[1].win = HOUR + 60;
	rows[1].count = 7;
	after = chunk_at(0);
	ok(before.number == after.number, "the number does not depend on windows or samples");
	chunk_free(&after);
	origins[0].rank = 4;
	after = chunk_at(0);
	ok(before.number != after.number, "but on where they come from");
	chunk_free(&after);
	origins[0].rank = 3;
	origins[0].identity = 43;
	after = chunk_at(0);
	ok(before.number != after.number, "and on the run");
	chunk_free(&after);
	chunk_free(&before);
	origins[0].identity = 42;
}

/* A row as it is sent. */
struct sent_row {
	uint64_t win, stack, count, chunk, whole, losses[3];
};

static struct sent_row take_row(struct row_binary *bytes)
{
	struct sent_row row;
	size_t size;

	for (int i = 0; i < 3; i++)
		row_binary_take_bytes(bytes, &size);
	row_binary_skip(bytes, 4);
	for (int i = 0; i < 3; i++)
		row_binary_take_bytes(bytes, &size);
	row.win = row_binary_take(bytes, 4);
	row.stack = row_binary_take(bytes, 8);
	row.count = row_binary_take(bytes, 4);
	row_binary_skip(bytes, 8);
	row.chunk = row_binary_take(bytes, 8);
	row.whole = row_binary_take(bytes, 8);
	for (int i = 0; i < 3; i++)
		row.losses[i] = row_binary_take(bytes, 8);
	return row;
}

static void test_receipts(void)
{
	struct load_chunk first = chunk_at(0), second = chunk_at(2), other = chunk_at(3);
	struct row_binary bytes = row_binary_of(first.rows, first.rows_size);
	struct sent_row receipt = take_row(&bytes), row = take_row(&bytes);

	ok(receipt.chunk == first.number && receipt.whole == first.whole && !receipt.stack &&
		   !receipt.count && receipt.win == HOUR,
	   "the first row is the receipt: of no stack, in the first window");
	ok(receipt.losses[0] == 11 && receipt.losses[1] == 12 && receipt.losses[2] == 13,
	   "it has the losses of its run");
	ok(row.stack == 5 && row.count == 2 && !row.chunk && !row.whole && !row.losses[0],
	   "other rows have nothing of it");
	row = take_row(&bytes);
	ok(bytes.at == bytes.end && !bytes.is_short && row.win > HOUR, "there is one of them");
	bytes = row_binary_of(second.rows, second.rows_size);
	receipt = take_row(&bytes);
	ok(receipt.chunk == second.number && !receipt.losses[0] && !receipt.losses[2],
	   "a later chunk of the run has no losses");
	bytes = row_binary_of(other.rows, other.rows_size);
	ok(take_row(&bytes).losses[0] == 21, "another run has its own");
	chunk_free(&first);
	chunk_free(&second);
	chunk_free(&other);
}

static void test_stacks(void)
{
	struct load_chunk chunk = chunk_at(0);
	struct row_binary bytes = row_binary_of(chunk.stacks, chunk.stacks_size);
	const char *name;
	size_t size;

	ok(row_binary_take(&bytes, 8) == 5 && row_binary_take(&bytes, 1) == 2 &&
		   row_binary_take(&bytes, 8) == 4 && row_binary_take(&bytes, 8) == 5,
	   "a stack has the hashes of its prefixes, the outermost first");
	ok(row_binary_take(&bytes, 1) == 2 &&
		   (name = row_binary_take_bytes(&bytes, &size), size == 4) &&
		   memcmp(name, "main", 4) == 0,
	   "and their names");
	chunk_free(&chunk);
}

static void test_calls(void)
{
	struct chunk_part before = { .until = 4 }, part = chunk_next(&piece, &before), next;
	struct load_chunk first = chunk_of(&part), samples = chunk_at(0), second;
	struct row_binary bytes = row_binary_of(first.rows, first.rows_size);
	size_t size;

	next = chunk_next(&piece, &part);
	second = chunk_of(&next);
	ok(part.table == CHUNK_CALLS && part.from == 0 && part.until == 2 && next.until == 3 &&
		   chunk_next(&piece, &next).from == chunk_next(&piece, &next).until,
	   "calls follow the samples, a chunk for each run");
	ok(first.amount == 6 && first.whole == 11 && first.stacks_size == 0 && first.hour == HOUR,
	   "a chunk knows its calls, and has no stacks");
	ok(second.amount == 0 && second.whole == 1,
	   "calls that began in an earlier piece and end in this one are something to store");
	ok(first.number != samples.number && first.number != second.number,
	   "it has a number of its own");
	for (int i = 0; i < 3; i++)
		row_binary_take_bytes(&bytes, &size);
	row_binary_skip(&bytes, 4);
	for (int i = 0; i < 3; i++)
		row_binary_take_bytes(&bytes, &size);
	ok(row_binary_take(&bytes, 4) == HOUR, "the window is that of the run's start");
	chunk_free(&first);
	chunk_free(&second);
	chunk_free(&samples);
}

static void test_servers(void)
{
	struct server_url turned;
	size_t first = 0;
	struct err err;
	bool same = true;

	if (server_url_parse(&turned, "clickhouse://three,one,two/db", &err))
		bail_out(err.text);
	for (int i = 0; i < 300; i++) {
		char host[16];

		snprintf(host, sizeof(host), "host%d", i);
		same = same && strcmp(url.hosts[chunk_server(&url, host)],
				      turned.hosts[chunk_server(&turned, host)]) == 0;
		first += chunk_server(&url, host) == 0;
	}
	ok(same, "a host's server does not depend on the order of the servers");
	ok(first > 60 && first < 140, "hosts are spread over servers: %zu of 300", first);
	server_url_free(&turned);
}

static void test_file(void)
{
	struct load_chunk chunk = chunk_at(0), read;
	struct spool_message message, again;
	struct err err;
	bool all = true;

	if (chunk_write(&chunk, "http://one:8123/db", &message, &err) ||
	    chunk_write(&chunk, "http://one:8123/db", &again, &err))
		bail_out(err.text);
	ok(strcmp(message.id, again.id) == 0 && spool_is_id(message.id),
	   "a chunk is one message, however often it is kept");
	ok(!chunk_read(&read, message.body, message.size, &err) && read.number == chunk.number &&
		   read.amount == chunk.amount && read.whole == chunk.whole &&
		   strcmp(read.host, chunk.host) == 0 && read.rows_size == chunk.rows_size &&
		   memcmp(read.rows, chunk.rows, chunk.rows_size) == 0,
	   "a chunk is read as it was written");
	chunk_free(&read);
	for (size_t cut = 0; cut < message.size; cut++)
		all = all && chunk_read(&read, message.body, cut, &err) == -EINVAL;
	ok(all, "one that is cut anywhere is refused");
	spool_message_free(&message);
	spool_message_free(&again);
	chunk_free(&chunk);
}

int main(void)
{
	make();
	test_cuts();
	test_numbers();
	test_receipts();
	test_stacks();
	test_calls();
	test_servers();
	test_file();
	profile_build_free(&build);
	server_url_free(&url);
	return tap_done();
}
