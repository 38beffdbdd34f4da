/* SPDX-License-Identifier: MIT
 *
 * query.h - a query of `dwell query`, and its views.
 */
#ifndef DWELL_CLI_FLEET_QUERY_H
#define DWELL_CLI_FLEET_QUERY_H

#include "cli/report/report.h"
#include "fleet/fetched.h"

#define QUERY_VERB "query"

struct query {
	struct selection selection;
	const char *by;               /* a key; NULL: the view's default */
	struct report_options report; /* format, limit, sort, threshold, display */
	const char *page;             /* of html */
	const char *sides[2];         /* of diff: two values of the key */
	bool normalize;               /* diff: compare shares */
	const struct server *server;
};

/* Each writes one view to stdout, or the page to its file. */
int query_top(struct query *query, struct err *err);
int query_tree(struct query *query, struct err *err);
int query_html(struct query *query, struct err *err);
int query_diff(struct query *query, struct err *err);
int query_imbalance(struct query *query, struct err *err);
int query_calls(struct query *query, struct err *err);

/* Writes a table with its summary, the whole of which it shows a part, and frees it. all: the
 * number of rows there are. */
int query_write(struct query *query, struct table *table, size_t all,
		const struct fetched_totals *totals, struct err *err);

#endif
