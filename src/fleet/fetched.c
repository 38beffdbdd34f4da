/* SPDX-License-Identifier: MIT */
#include "fetched.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "fetched_ask.h"
#include "row_binary.h"

/* Enough for any number. */
#define NUMBER_BYTES 24

/* The columns that statements for any table name. */
static const struct {
	const char *name, *amount, *time, *kind;
} tables[] = {
	[SELECTION_SAMPLES] = { "samples", "count", "weight", "kind" },
	[SELECTION_CALLS] = { "calls", "calls", "self", "timing" },
};

int fetched_ask(const struct fetched_query *query, const char *statement,
		const struct sql_part more[2], struct http_response *response, struct err *err)
{
	enum selection_table table = query->selection->table;
	char *where = selection_sql(query->selection);
	const struct sql_part parts[] = { { "where", where },
					  { "by", query->by },
					  { "table", tables[table].name },
					  { "amount", tables[table].amount },
					  { "time", tables[table].time },
					  { "kind", tables[table].kind },
					  more[0],
					  more[1] };
	int status = where ? server_query(query->server, statement, parts,
					  sizeof(parts) / sizeof(parts[0]), response, err)
			   : err_no_memory(err);

	free(where);
	return status;
}

const struct sql_part fetched_no_more[2] = { { "", "" }, { "", "" } };

int fetched_fail_short(const struct fetched_query *query, struct err *err)
{
	return err_set(err, EPROTO, "the response of %s is damaged", query->server->host);
}

static int check_totals(const struct fetched_query *query, const struct fetched_totals *totals,
			struct err *err)
{
	bool is_calls = query->selection->table == SELECTION_CALLS;

	if (!totals->kinds)
		return err_set(err, ENOMSG, "no %s of '%s' are selected",
			       is_calls ? "calls" : "samples", query->server->url->database);
	if (totals->kinds > 1 && is_calls)
		return err_set(err, EINVAL,
			       "the selection contains calls that were timed in different ways: "
			       "use --where timing=all, timing=sampled or timing=none");
	if (totals->kinds > 1)
		return err_set(err, EINVAL,
			       "the selection contains both CPU time and wall time: use --where "
			       "kind=cpu or kind=wall");
	return 0;
}

int fetched_sum(const struct fetched_query *query, struct fetched_totals *totals, struct err *err)
{
	struct http_response response;
	struct row_binary rows;
	char *kind;
	int status = fetched_ask(query, sql_totals, fetched_no_more, &response, err);

	if (status)
		return status;
	*totals = (struct fetched_totals){ 0 };
	rows = row_binary_of(response.body, response.size);
	/* Old servers return no row for nothing. */
	if (response.size) {
		totals->amount = row_binary_take(&rows, 8);
		totals->ns = row_binary_take(&rows, 8);
		totals->hosts = row_binary_take(&rows, 8);
		totals->ranks = row_binary_take(&rows, 8);
		totals->units = row_binary_take(&rows, 8);
		totals->kinds = row_binary_take(&rows, 8);
		kind = row_binary_take_text(&rows);
		totals->is_wall = kind && strcmp(kind, "wall") == 0;
		totals->is_counted = kind && strcmp(kind, "none") == 0;
		totals->is_sampled = kind && strcmp(kind, "sampled") == 0;
		free(kind);
		totals->first = row_binary_take(&rows, 4);
		totals->last = row_binary_take(&rows, 4);
	}
	http_response_free(&response);
	status = rows.is_short ? fetched_fail_short(query, err) : check_totals(query, totals, err);
	return status ? status : fetched_losses(query, &totals->lost, err);
}

int fetched_nodes(const struct fetched_query *query, struct profile_amount whole,
		  struct profile_build *build, struct err *err)
{
	char least[NUMBER_BYTES];
	const struct sql_part parts[] = { { "least", least }, fetched_no_more[0] };
	struct http_response response;
	int status;

	snprintf(least, sizeof(least), "%" PRIu64, query->least_ns);
	status = fetched_ask(query, sql_nodes, parts, &response, err);
	if (status)
		return status;
	status = fetched_parse(build, response.body, response.size, whole, err);
	http_response_free(&response);
	return status;
}

static int take_spread(struct row_binary *rows, struct fetched_spread *spread)
{
	spread->name = row_binary_take_text(rows);
	spread->object = row_binary_take_text(rows);
	spread->least_ns = row_binary_take(rows, 8);
	spread->mean_ns = row_binary_take(rows, 8);
	spread->most_ns = row_binary_take(rows, 8);
	spread->unit = row_binary_take_text(rows);
	return spread->name && spread->object && spread->unit ? 0 : -ENOMEM;
}

int fetched_spreads(const struct fetched_query *query, uint64_t units, size_t limit,
		    struct fetched_spread **list, size_t *count, struct err *err)
{
	char all[NUMBER_BYTES], most[NUMBER_BYTES];
	const struct sql_part parts[] = { { "units", all }, { "limit", most } };
	struct http_response response;
	struct row_binary rows;
	int status;

	*list = NULL;
	*count = 0;
	snprintf(all, sizeof(all), "%" PRIu64, units ? units : 1);
	snprintf(most, sizeof(most), "%zu", limit);
	status = fetched_ask(query,
			     query->selection->table == SELECTION_CALLS ? sql_imbalance_calls
									: sql_imbalance,
			     parts, &response, err);
	if (status)
		return status;
	rows = row_binary_of(response.body, response.size);
	while (!status && rows.at < rows.end) {
		struct fetched_spread *more = vec_room(*list, *count, sizeof(*more));

		if (more)
			*list = more;
		status = more && !take_spread(&rows, &more[(*count)++]) ? 0 : err_no_memory(err);
	}
	if (!status && rows.is_short)
		status = fetched_fail_short(query, err);
	http_response_free(&response);
	if (status)
		fetched_spreads_free(*list, *count);
	return status;
}

void fetched_spreads_free(struct fetched_spread *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(list[i].name);
		free(list[i].object);
		free(list[i].unit);
	}
	free(list);
}

int fetched_shares(const struct fetched_query *query, struct fetched_share **list, size_t *count,
		   struct err *err)
{
	struct http_response response;
	struct row_binary rows;
	int status = fetched_ask(query, sql_units, fetched_no_more, &response, err);

	*list = NULL;
	*count = 0;
	if (status)
		return status;
	rows = row_binary_of(response.body, response.size);
	while (!status && rows.at < rows.end) {
		struct fetched_share *more = vec_room(*list, *count, sizeof(*more));

		if (!more) {
			status = err_no_memory(err);
			break;
		}
		*list = more;
		more[*count].name = row_binary_take_text(&rows);
		more[*count].amount = row_binary_take(&rows, 8);
		more[*count].ns = row_binary_take(&rows, 8);
		status = more[(*count)++].name ? 0 : err_no_memory(err);
	}
	if (!status && rows.is_short)
		status = fetched_fail_short(query, err);
	http_response_free(&response);
	if (status)
		fetched_shares_free(*list, *count);
	return status;
}

void fetched_shares_free(struct fetched_share *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i].name);
	free(list);
}
