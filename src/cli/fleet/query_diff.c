/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/report/report_part.h"
#include "fleet/fetched_diff.h"
#include "fleet/sql.h"
#include "output/report/diff_summary.h"
#include "output/report/diff_table.h"
#include "query.h"

/* The default number of rows. */
#define USUAL_ROWS 20

/* Returns SQL that is true for the new side; free with free(). NULL: no memory. */
static char *newer_of(const struct query *query, const char *key)
{
	char *column = selection_column(SELECTION_SAMPLES, key),
	     *newer = sql_text(query->sides[DIFF_NEW]);
	char *condition = NULL;

	if (column && newer && asprintf(&condition, "toString(%s) = %s", column, newer) < 0)
		condition = NULL;
	free(column);
	free(newer);
	return condition;
}

/* Selects both values of the key. */
static int select_sides(struct query *query, const char *key, struct err *err)
{
	int status = 0;

	if (selection_has(&query->selection, key))
		return err_set(err, EINVAL, "--where %s: diff compares that label", key);
	if (strcmp(query->sides[0], query->sides[1]) == 0)
		return err_set(err, EINVAL, "OLD and NEW are both '%s'", query->sides[0]);
	for (int side = 0; side < DIFF_SIDES && !status; side++) {
		char *text;

		if (asprintf(&text, "%s=%s", key, query->sides[side]) < 0)
			return err_no_memory(err);
		status = selection_add(&query->selection, text, err);
		free(text);
	}
	return status;
}

static int write_diff(struct query *query, const struct diff *diff, struct err *err)
{
	const struct report_options *report = &query->report;
	struct diff_summary summary = { .commands = { query->sides[0], query->sides[1] },
					.runs = { diff->runs[0], diff->runs[1] },
					.samples = diff };
	size_t rows = report_rows(report, USUAL_ROWS);
	struct terminal terminal;
	struct table table;
	int status = diff_table_make(&table, diff, rows, report->format == TABLE_TEXT, err);

	if (status)
		return status;
	terminal = display_open(&report->display, report->format, stdout);
	if (report->format == TABLE_TEXT) {
		diff_summary_write_head(&summary, stdout);
		report_write_rows(&table, &terminal, diff->count, rows, stdout);
		putchar('\n');
		diff_summary_write_verdicts(diff, stdout);
	} else if (diff_summary_add_meta(&table, &summary)) {
		status = err_no_memory(err);
	} else {
		table_write(&table, report->format, stdout);
	}
	display_close();
	table_fini(&table);
	return status;
}

static int compare(struct query *query, const struct fetched_diff *fetched, struct err *err)
{
	const struct diff_options wishes = { .is_normalized = query->normalize };
	struct diff diff;
	int status = 0;

	for (int side = 0; side < DIFF_SIDES && !status; side++)
		if (!fetched->sides[side].runs)
			status = err_set(err, ENOMSG, "no samples of '%s' are selected",
					 query->sides[side]);
	if (!status)
		status = diff_make_of_sums(&diff, fetched->sides, &wishes, err);
	if (status)
		return status;
	diff_sort(&diff, query->report.sort);
	status = write_diff(query, &diff, err);
	diff_free(&diff);
	return status;
}

/* Asks for the sums of both sides. The unit of noise is a host, or a rank if hosts are
 * compared. */
static int show(struct query *query, const char *key, const char *newer, struct err *err)
{
	const struct fetched_query question = { .server = query->server,
						.selection = &query->selection,
						.by = strcmp(key, "host") == 0 ? "rank" : "host" };
	struct fetched_totals totals;
	struct fetched_diff fetched;
	int status = fetched_sum(&question, &totals, err);

	if (!status)
		status = fetched_diff(&question, newer, query->normalize, &fetched, err);
	if (status)
		return status;
	for (int side = 0; side < DIFF_SIDES; side++)
		fetched.builds[side].profile.totals.is_wall = totals.is_wall;
	status = compare(query, &fetched, err);
	fetched_diff_free(&fetched);
	return status;
}

int query_diff(struct query *query, struct err *err)
{
	const char *key = query->by ? query->by : "version";
	char *newer;
	int status;

	if (query->report.sort && !diff_sort_known(query->report.sort))
		return err_set(err, EINVAL,
			       "unknown --sort column '%s' (expected " DIFF_SORT_COLUMNS ")",
			       query->report.sort);
	status = select_sides(query, key, err);
	if (status)
		return status;
	newer = newer_of(query, key);
	status = newer ? show(query, key, newer, err) : err_no_memory(err);
	free(newer);
	return status;
}
