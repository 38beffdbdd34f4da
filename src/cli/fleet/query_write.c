/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "cli/report/report_part.h"
#include "output/report/run_summary.h"
#include "query.h"

static const char *print_instant(char text[32], uint64_t seconds)
{
	time_t instant = (time_t)seconds;
	struct tm parts;

	gmtime_r(&instant, &parts);
	strftime(text, 32, "%Y-%m-%d %H:%M:%S", &parts);
	return text;
}

static bool is_of_calls(const struct query *query)
{
	return query->selection.table == SELECTION_CALLS;
}

static void write_summary(const struct query *query, const struct fetched_totals *totals, FILE *out)
{
	char time[UNITS_BYTES], from[32], until[32];

	if (is_of_calls(query))
		run_summary_number(totals->amount, "call", "calls", out);
	else
		run_summary_number(totals->amount, "sample", "samples", out);
	if (!totals->is_counted && !totals->is_sampled)
		fprintf(out, ", %s of %s time", units_time(time, (double)totals->ns),
			is_of_calls(query) ? "self"
			: totals->is_wall  ? "wall"
					   : "CPU");
	fputs(", ", out);
	run_summary_number(totals->hosts, "host", "hosts", out);
	fputs(", ", out);
	run_summary_number(totals->ranks, "rank", "ranks", out);
	fprintf(out, ", windows from %s to %s UTC\n", print_instant(from, totals->first),
		print_instant(until, totals->last));
}

static void write_losses(const struct piece_losses *lost, FILE *out)
{
	char count[UNITS_BYTES], time[UNITS_BYTES];

	if (lost->samples)
		fprintf(out, "LOST: samples without room in their recordings: %s, %s\n",
			units_count(count, lost->samples),
			units_time(time, (double)lost->samples_ns));
	if (lost->unwatched_ns)
		fprintf(out,
			"LOST: CPU time of threads that could not be sampled, and of processes "
			"that exited before a tick: %s\n",
			units_time(time, (double)lost->unwatched_ns));
	run_summary_count("LOST: threads that were not counted", lost->threads, out);
	run_summary_count("LOST: calls that were not counted", lost->calls, out);
	run_summary_count("LOST: chosen functions that were not counted", lost->functions, out);
}

static int add_losses(bool is_calls, struct table *table, const struct piece_losses *lost)
{
	const struct run_summary_pair of_samples[] = {
		{ "lost_samples", lost->samples },
		{ "lost_samples_ns", lost->samples_ns },
		{ "unwatched_ns", lost->unwatched_ns },
	};
	const struct run_summary_pair of_calls[] = {
		{ "lost_threads", lost->threads },
		{ "lost_calls", lost->calls },
		{ "lost_functions", lost->functions },
	};

	return run_summary_add_numbers(table, is_calls ? of_calls : of_samples,
				       sizeof(of_calls) / sizeof(of_calls[0]));
}

/* Adds the same to a table's "meta", for programs. Returns 0 or -ENOMEM. */
static int add_meta(const struct query *query, struct table *table,
		    const struct fetched_totals *totals)
{
	bool is_calls = is_of_calls(query);
	const struct run_summary_pair numbers[] = {
		{ is_calls ? "calls" : "samples", totals->amount },
		{ is_calls ? "self_ns" : "samples_ns", totals->ns },
		{ "hosts", totals->hosts },
		{ "ranks", totals->ranks },
		{ "first", totals->first },
		{ "last", totals->last },
	};
	int status =
		is_calls ? 0
			 : table_add_meta(table, "sample_time", totals->is_wall ? "wall" : "cpu");

	if (!status)
		status = run_summary_add_numbers(table, numbers,
						 sizeof(numbers) / sizeof(numbers[0]));
	return status ? status : add_losses(is_calls, table, &totals->lost);
}

int query_write(struct query *query, struct table *table, size_t all,
		const struct fetched_totals *totals, struct err *err)
{
	const struct report_options *options = &query->report;
	struct terminal terminal = display_open(&options->display, options->format, stdout);
	size_t columns = table->column_count ? table->column_count : 1;
	int status = 0;

	if (options->format == TABLE_TEXT) {
		report_write_rows(table, &terminal, all, table->cell_count / columns, stdout);
		putchar('\n');
		write_summary(query, totals, stdout);
		write_losses(&totals->lost, stdout);
	} else if (add_meta(query, table, totals)) {
		status = err_no_memory(err);
	} else {
		table_write(table, options->format, stdout);
	}
	display_close();
	table_fini(table);
	return status;
}
