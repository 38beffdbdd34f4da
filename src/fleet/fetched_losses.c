/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "fetched_ask.h"
#include "row_binary.h"

/* The columns of receipts, in the order of the members that get their sums. */
static const struct {
	const char *table, *columns[3];
} tables[] = {
	[SELECTION_SAMPLES] = { "samples", { "lost", "lost_ns", "unwatched_ns" } },
	[SELECTION_CALLS] = { "calls", { "lost_calls", "lost_threads", "lost_functions" } },
};

/* Reads the sums. Old servers return no row for nothing. */
static int parse(const struct fetched_query *query, const struct http_response *response,
		 struct piece_losses *losses, struct err *err)
{
	struct row_binary rows = row_binary_of(response->body, response->size);
	bool is_calls = query->selection->table == SELECTION_CALLS;

	*losses = (struct piece_losses){ 0 };
	if (!response->size)
		return 0;
	*(is_calls ? &losses->calls : &losses->samples) = row_binary_take(&rows, 8);
	*(is_calls ? &losses->threads : &losses->samples_ns) = row_binary_take(&rows, 8);
	*(is_calls ? &losses->functions : &losses->unwatched_ns) = row_binary_take(&rows, 8);
	return rows.is_short ? fetched_fail_short(query, err) : 0;
}

int fetched_losses(const struct fetched_query *query, struct piece_losses *losses, struct err *err)
{
	enum selection_table table = query->selection->table;
	char *where = selection_sql_of_runs(query->selection);
	const struct sql_part parts[] = { { "where", where },
					  { "table", tables[table].table },
					  { "first", tables[table].columns[0] },
					  { "second", tables[table].columns[1] },
					  { "third", tables[table].columns[2] } };
	struct http_response response;
	int status = where ? server_query(query->server, sql_losses, parts,
					  sizeof(parts) / sizeof(parts[0]), &response, err)
			   : err_no_memory(err);

	free(where);
	if (status)
		return status;
	status = parse(query, &response, losses, err);
	http_response_free(&response);
	return status;
}
