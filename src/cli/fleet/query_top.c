/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/report/output_file.h"
#include "cli/report/page_template.h"
#include "cli/report/report_part.h"
#include "output/page/page.h"
#include "output/report/tree_table.h"
#include "query.h"

/* Default numbers of rows. */
#define USUAL_ROWS  40
#define USUAL_NODES 100

/* Defaults of --min, as a part of all time. */
#define USUAL_THRESHOLD 0.01
#define PAGE_THRESHOLD  0.001

/* A page with more samples takes long to open. */
#define PAGE_SAMPLES 200000

/* A profile that was fetched, with the sums over the selection. */
struct answer {
	struct fetched_totals totals;
	struct profile_build build;
	struct profile *profile;
};

/* Fetches the call tree as one profile; threshold: a part of all time. */
static int fetch(struct query *query, const char *by, double threshold, struct answer *answer,
		 struct err *err)
{
	struct fetched_query question = { .server = query->server,
					  .selection = &query->selection,
					  .by = by };
	int status = fetched_sum(&question, &answer->totals, err);

	if (status)
		return status;
	question.least_ns = (uint64_t)(threshold * (double)answer->totals.ns);
	status = fetched_nodes(&question,
			       (struct profile_amount){ answer->totals.amount, answer->totals.ns },
			       &answer->build, err);
	if (status)
		return status;
	if (!answer->build.profile.stack_count) {
		profile_build_free(&answer->build);
		return err_set(err, ENOMSG, "no function has that much of all time");
	}
	answer->profile = &answer->build.profile;
	answer->profile->totals.is_wall = answer->totals.is_wall;
	return 0;
}

static int show_functions(struct query *query, struct err *err)
{
	struct answer answer;
	struct profile_rows rows;
	struct samples_source source;
	struct table table;
	int status = fetch(query, "''", 0, &answer, err);

	if (status)
		return status;
	status = profile_rows_make(&rows, answer.profile, PROFILE_BY_FUNCTION, err);
	if (!status) {
		profile_rows_sort(&rows, query->report.sort);
		source =
			(struct samples_source){ .profile = answer.profile,
						 .rows = &rows,
						 .limit = report_rows(&query->report, USUAL_ROWS) };
		status = samples_table_make(&table, &source, query->report.format == TABLE_TEXT,
					    err);
		if (!status)
			status = query_write(query, &table, rows.count, &answer.totals, err);
		profile_rows_free(&rows);
	}
	profile_build_free(&answer.build);
	return status;
}

/* Makes the table of units: hosts, ranks, versions. */
static int make_shares(struct query *query, const struct fetched_share *shares, size_t count,
		       uint64_t all_ns, struct table *table, struct err *err)
{
	const char *amount = query->selection.table == SELECTION_CALLS ? "calls" : "samples";
	bool human = query->report.format == TABLE_TEXT;
	const struct table_column people[] = { { "self", COLUMN_NUMBER },
					       { amount, COLUMN_NUMBER },
					       { "share", COLUMN_NUMBER | COLUMN_STYLED },
					       { "", COLUMN_BAR },
					       { query->by, COLUMN_GIVES | COLUMN_STYLED } };
	const struct table_column programs[] = { { "self_ns", COLUMN_NUMBER },
						 { amount, COLUMN_NUMBER },
						 { "name", 0 } };
	size_t limit = report_rows(&query->report, USUAL_ROWS);
	int status = 0;

	table_init(table, "units", human ? people : programs, human ? 5 : 3);
	for (size_t i = 0; i < count && i < limit && !status; i++) {
		char time[UNITS_BYTES], samples[UNITS_BYTES], share[UNITS_BYTES];
		double ns = (double)shares[i].ns;

		if (human) {
			units_time(time, ns);
			units_count(samples, shares[i].amount);
			units_share(share, ns, (double)all_ns);
			status = table_add_looking(
				table,
				(const char *[]){ time, samples, share, NULL, shares[i].name },
				table_look_of(ns, (double)all_ns));
		} else {
			snprintf(time, sizeof(time), "%llu", (unsigned long long)shares[i].ns);
			snprintf(samples, sizeof(samples), "%llu",
				 (unsigned long long)shares[i].amount);
			status =
				table_add(table, (const char *[]){ time, samples, shares[i].name });
		}
	}
	if (!status)
		return 0;
	table_fini(table);
	return err_no_memory(err);
}

static int show_units(struct query *query, struct err *err)
{
	char *column = selection_column(query->selection.table, query->by);
	struct fetched_query question = { .server = query->server,
					  .selection = &query->selection,
					  .by = column };
	struct fetched_totals totals;
	struct fetched_share *shares;
	struct table table;
	size_t count;
	int status = column ? fetched_sum(&question, &totals, err) : err_no_memory(err);

	if (!status)
		status = fetched_shares(&question, &shares, &count, err);
	free(column);
	if (status)
		return status;
	status = make_shares(query, shares, count, totals.ns, &table, err);
	if (!status)
		status = query_write(query, &table, count, &totals, err);
	fetched_shares_free(shares, count);
	return status;
}

int query_top(struct query *query, struct err *err)
{
	if (query->selection.table == SELECTION_CALLS && !query->by)
		return query_calls(query, err);
	if (query->report.sort && !profile_sort_known(query->report.sort))
		return err_set(err, EINVAL,
			       "unknown --sort column '%s' (expected " PROFILE_SORT_COLUMNS ")",
			       query->report.sort);
	return query->by ? show_units(query, err) : show_functions(query, err);
}

int query_tree(struct query *query, struct err *err)
{
	double threshold = query->report.has_threshold ? query->report.threshold : USUAL_THRESHOLD;
	struct answer answer;
	struct call_tree tree;
	struct table table;
	int status = fetch(query, "''", threshold, &answer, err);

	if (status)
		return status;
	status = call_tree_make(&tree, answer.profile, CALL_TREE_DOWN, threshold, err);
	if (!status) {
		status = tree_table_make(&table, answer.profile, &tree,
					 report_rows(&query->report, USUAL_NODES),
					 query->report.format == TABLE_TEXT, err);
		if (!status)
			status = query_write(query, &table, tree.count, &answer.totals, err);
		call_tree_free(&tree);
	}
	profile_build_free(&answer.build);
	return status;
}

/* Writes the page of a profile. A reader without segments stands for the recording. */
static int write_page(struct query *query, const struct answer *answer, struct err *err)
{
	const struct page_template page = { page_template, page_template_size };
	struct reader reader = { .path = (char *)(uintptr_t) "" };
	struct calls calls = { .scale.ns_per_tick = 1 };
	const struct calls_tree none = { 0 };
	struct page_source source = { .reader = &reader,
				      .title = query->server->url->database,
				      .profile = answer->profile,
				      .calls = &calls,
				      .tree = &none };
	struct output_file file;
	int status = output_file_open(&file, query->page, err);

	if (status)
		return status;
	snprintf(reader.header.command, sizeof(reader.header.command), "%s",
		 query->server->url->database);
	reader.header.command_size = (uint32_t)strlen(reader.header.command) + 1;
	status = page_write(&page, &source, 1, file.out, err);
	if (!status)
		return output_file_finish(&file, err);
	output_file_drop(&file);
	return status;
}

int query_html(struct query *query, struct err *err)
{
	double threshold = query->report.has_threshold ? query->report.threshold : PAGE_THRESHOLD;
	char *column = query->by ? selection_column(SELECTION_SAMPLES, query->by) : strdup("''");
	struct answer answer;
	int status = column ? fetch(query, column, threshold, &answer, err) : err_no_memory(err);

	free(column);
	if (status)
		return status;
	status = profile_build_samples(&answer.build, PAGE_SAMPLES, err);
	if (!status)
		status = write_page(query, &answer, err);
	if (!status && strcmp(query->page, "-") != 0)
		cmd_note(QUERY_VERB, "wrote %s: open it in a browser", query->page);
	profile_build_free(&answer.build);
	return status;
}
