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
	{ app, one, here, none, team, 3, 42 },
	{ app, one, there, none, none, ORIGIN_NO_RANK, 42 },
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
				.rows = rows,
				.count = 4 };
}

static struct load_chunk chunk_at(size_t from)
{
	struct load_chunk chunk;
	struct err err;

	if (chunk_make(&chunk, &piece, from, chunk_end(&piece, from), &url, &err))
		bail_out(err.text);
	return chunk;
}

static void test_cuts(void)
{
	struct load_chunk first = chunk_at(0), second = chunk_at(2), other = chunk_at(3);

	ok(chunk_end(&piece, 0) == 2 && chunk_end(&piece, 2) == 3 && chunk_end(&piece, 3) == 4,
	   "chunks end where an hour or a run ends");
	ok(first.samples == 3 && first.row_count == 2 && first.stack_count == 1 &&
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
		same = same && strcmp(chunk_server(&url, host), chunk_server(&turned, host)) == 0;
		first += strcmp(chunk_server(&url, host), "one:8123") == 0;
	}
	ok(same, "a host's server does not depend on the order of the servers");
	ok(first > 60 && first < 140, "hosts are spread over servers: %zu of 300", first);
	server_url_free(&turned);
}

static void test_file(void)
{
	struct load_chunk chunk = chunk_at(0), read;
	struct err err;
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);
	bool all = true;

	chunk_write(&chunk, out);
	fclose(out);
	ok(!chunk_read(&read, bytes, size, &err) && read.number == chunk.number &&
		   read.samples == chunk.samples && strcmp(read.host, chunk.host) == 0 &&
		   read.rows_size == chunk.rows_size &&
		   memcmp(read.rows, chunk.rows, chunk.rows_size) == 0,
	   "a chunk is read as it was written");
	chunk_free(&read);
	for (size_t cut = 0; cut < size; cut++)
		all = all && chunk_read(&read, bytes, cut, &err) == -EINVAL;
	ok(all, "one that is cut anywhere is refused");
	free(bytes);
	chunk_free(&chunk);
}

int main(void)
{
	make();
	test_cuts();
	test_numbers();
	test_stacks();
	test_servers();
	test_file();
	profile_build_free(&build);
	server_url_free(&url);
	return tap_done();
}
