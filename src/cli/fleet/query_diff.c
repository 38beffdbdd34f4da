/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/report/report_part.h"
#include "fleet/sql.h"
#include "output/report/diff_summary.h"
#include "output/report/diff_table.h"
#include "query.h"

/* The default number of rows. */
#define USUAL_ROWS 20

/* Single samples of a host that are told apart. */
#define UNIT_SAMPLES 100000

/* Returns SQL of the unit of noise, which is a host, or a rank if hosts are compared, behind the
 * number of its side. Free with free(); NULL: no memory. */
static char *unit_of(const struct query *query, const char *key)
{
	char *column = selection_column(SELECTION_SAMPLES, key),
	     *newer = sql_text(query->sides[DIFF_NEW]);
	char *unit = NULL;

	if (column && newer &&
	    asprintf(&unit, "concat(toString(%s) = %s ? '1' : '0', toString(%s))", column, newer,
		     strcmp(key, "host") == 0 ? "rank" : "host") < 0)
		unit = NULL;
	free(column);
	free(newer);
	return unit;
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

/* Sorts the units to their sides. */
static int split(const struct fetched *fetched, const struct profile **profiles[DIFF_SIDES],
		 struct diff_runs runs[DIFF_SIDES])
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		profiles[side] = calloc(fetched->count + 1, sizeof(**profiles));
		if (!profiles[side])
			return -ENOMEM;
		runs[side] = (struct diff_runs){ .profiles = profiles[side] };
	}
	for (size_t i = 0; i < fetched->count; i++) {
		int side = *fetched->units[i]->name == '1' ? DIFF_NEW : DIFF_OLD;

		profiles[side][runs[side].count++] = &fetched->units[i]->build.profile;
	}
	return 0;
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

static int compare(struct query *query, const struct fetched *fetched, struct err *err)
{
	const struct diff_options wishes = { .is_normalized = query->normalize };
	const struct profile **profiles[DIFF_SIDES] = { 0 };
	struct diff_runs runs[DIFF_SIDES] = { 0 };
	struct diff diff;
	int status = split(fetched, profiles, runs) ? err_no_memory(err) : 0;

	for (size_t i = 0; i < fetched->count && !status; i++)
		status = profile_build_samples(&fetched->units[i]->build, UNIT_SAMPLES, err);
	for (int side = 0; side < DIFF_SIDES && !status; side++)
		if (!runs[side].count)
			status = err_set(err, ENOMSG, "no samples of '%s' are selected",
					 query->sides[side]);
	if (!status)
		status = diff_make(&diff, runs, &wishes, err);
	if (!status) {
		diff_sort(&diff, query->report.sort);
		status = write_diff(query, &diff, err);
		diff_free(&diff);
	}
	free(profiles[DIFF_OLD]);
	free(profiles[DIFF_NEW]);
	return status;
}

int query_diff(struct query *query, struct err *err)
{
	const char *key = query->by ? query->by : "version";
	char *unit = NULL;
	struct fetched_query question = { .server = query->server, .selection = &query->selection };
	const struct fetched_shape by_unit = { 0 };
	struct fetched_totals totals;
	struct fetched fetched;
	int status = 0;

	if (query->report.sort && !diff_sort_known(query->report.sort))
		return err_set(err, EINVAL,
			       "unknown --sort column '%s' (expected " DIFF_SORT_COLUMNS ")",
			       query->report.sort);
	status = select_sides(query, key, err);
	if (status)
		return status;
	unit = unit_of(query, key);
	question.by = unit;
	status = unit ? fetched_sum(&question, &totals, err) : err_no_memory(err);
	if (!status)
		status = fetched_nodes(&question, &by_unit, &fetched, err);
	if (!status) {
		status = compare(query, &fetched, err);
		fetched_free(&fetched);
	}
	free(unit);
	return status;
}
