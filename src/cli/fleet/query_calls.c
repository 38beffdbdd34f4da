/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/report/report_part.h"
#include "fleet/fetched_calls.h"
#include "model/calls/calls_sort.h"
#include "output/report/calls_table.h"
#include "query.h"

/* The default number of rows. */
#define USUAL_ROWS 40

static int show(struct query *query, const struct fetched_query *question, struct err *err)
{
	enum calls_by by = !query->by                         ? CALLS_BY_FUNCTION
			   : strcmp(query->by, "caller") == 0 ? CALLS_BY_CALLING_OBJECT
							      : CALLS_BY_LABEL;
	struct fetched_totals totals;
	struct fetched_calls fetched;
	struct table table;
	int status = fetched_sum(question, &totals, err);

	if (!status)
		status = fetched_calls(question, by, query->by, &totals, &fetched, err);
	if (status)
		return status;
	calls_sort(&fetched.calls, query->report.sort);
	status = calls_table_make(&table, &fetched.calls, report_rows(&query->report, USUAL_ROWS),
				  query->report.format == TABLE_TEXT, err);
	if (!status)
		status = query_write(query, &table, fetched.calls.count, &totals, err);
	fetched_calls_free(&fetched);
	return status;
}

int query_calls(struct query *query, struct err *err)
{
	struct fetched_query question = { .server = query->server, .selection = &query->selection };
	char *column;
	int status;

	query->selection.table = SELECTION_CALLS;
	if (query->report.sort && !calls_sort_known(query->report.sort))
		return err_set(err, EINVAL,
			       "unknown --sort column '%s' (expected " CALLS_SORT_COLUMNS ")",
			       query->report.sort);
	column = query->by ? selection_column(SELECTION_CALLS, query->by) : strdup("''");
	question.by = column;
	status = column ? show(query, &question, err) : err_no_memory(err);
	free(column);
	return status;
}
