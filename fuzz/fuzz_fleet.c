/* SPDX-License-Identifier: MIT
 *
 * fuzz_fleet.c - bytes from a server, from the spool and from a user: responses, chunks, and texts
 * that go into statements.
 */
#include "fleet/chunk.h"
#include "fleet/fetched_calls.h"
#include "fleet/fetched_diff.h"
#include "fuzz.h"

/* Aborts if a literal does not end where it ends, or is read as another text. */
static void check_literal(const char *text)
{
	char *literal = sql_text(text);
	const char *at = literal;

	if (!literal)
		return;
	if (*at++ != '\'')
		abort();
	for (; *at != '\''; at++, text++) {
		if (*at == '\\')
			at++;
		if (!*at || *at != *text)
			abort();
	}
	if (at[1] || *text)
		abort();
	free(literal);
}

static void read_texts(const char *text)
{
	struct selection selection = { 0 };
	struct server_url url;
	struct err err;
	char *sql;

	check_literal(text);
	if (!server_url_parse(&url, text, &err))
		server_url_free(&url);
	if (!selection_add(&selection, text, &err)) {
		sql = selection_sql(&selection);
		free(sql);
		sql = selection_column(SELECTION_CALLS, selection.labels[0].key);
		free(sql);
	}
	selection_take_time(&selection, text, 1000000000, &err);
	selection_free(&selection);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = strndup((const char *)bytes, size);
	const struct fetched_totals totals = { .is_sampled = size % 2 };
	struct fetched_calls calls;
	struct fetched_diff sides;
	struct profile_build build;
	struct load_chunk chunk;
	struct err err;

	if (!fetched_parse(&build, bytes, size, (struct profile_amount){ size, size }, &err))
		profile_build_free(&build);
	if (!fetched_calls_parse(&calls, bytes, size, CALLS_BY_LABEL, "rank", &totals, &err))
		fetched_calls_free(&calls);
	if (!fetched_diff_parse(&sides, bytes, size, &err))
		fetched_diff_free(&sides);
	if (!chunk_read(&chunk, bytes, size, &err))
		chunk_free(&chunk);
	if (text)
		read_texts(text);
	free(text);
	return 0;
}
