/* SPDX-License-Identifier: MIT */
#include "diff_summary.h"

#include "diff_table.h"
#include "output/table/printable.h"
#include "output/table/units.h"

/* Longer commands are cut for people. */
#define COMMAND_COLUMNS 100

static const char *const titles[DIFF_SIDES] = { "old", "new" };

static void write_side(const struct diff_summary *summary, enum diff_side side, FILE *out)
{
	const char *event = summary->samples ? summary->samples->event : NULL;
	char time[UNITS_BYTES], count[UNITS_BYTES];

	fprintf(out, "%s: ", titles[side]);
	printable_write_within(summary->commands[side], COMMAND_COLUMNS, out);
	if (summary->runs[side] > 1)
		fprintf(out, " (mean of %zu runs)", summary->runs[side]);
	if (summary->samples)
		printable_print(out, ": %s %s, %s samples%s",
				units_amount(time, summary->samples->all.sides[side].value, event),
				event                       ? event
				: summary->samples->is_wall ? "of wall time"
							    : "of CPU time",
				units_count(count, summary->samples->all.sides[side].samples),
				summary->runs[side] > 1 ? " in all" : "");
	if (summary->calls)
		fprintf(out, "%s %s calls", summary->samples ? "," : ":",
			units_count(count, (uint64_t)(summary->calls->calls[side] + 0.5)));
	putc('\n', out);
}

static void write_change(const struct diff *diff, FILE *out)
{
	const struct diff_change *all = &diff->all;
	char change[UNITS_BYTES], relative[UNITS_BYTES];

	fprintf(out, "all: %s, %s, %s\n", units_change(change, diff_growth(all), diff->event),
		units_relative(relative, all->sides[DIFF_OLD].value, all->sides[DIFF_NEW].value),
		diff_table_verdict(diff, all));
}

void diff_summary_write_head(const struct diff_summary *summary, FILE *out)
{
	write_side(summary, DIFF_OLD, out);
	write_side(summary, DIFF_NEW, out);
	if (summary->samples)
		write_change(summary->samples, out);
	putc('\n', out);
}

static size_t count_significant(const struct diff *diff)
{
	size_t count = 0;

	for (size_t i = 0; i < diff->count; i++)
		count += diff->rows[i].self.is_significant;
	return count;
}

void diff_summary_write_verdicts(const struct diff *diff, FILE *out)
{
	static const char *const rows[] = { [DIFF_BY_FUNCTION] = "functions",
					    [DIFF_BY_STACK] = "stacks",
					    [DIFF_BY_OBJECT] = "objects" };

	fprintf(out, "significant: self time of %zu of the %zu %s with %d samples or more",
		count_significant(diff), diff->tested, rows[diff->options.by], DIFF_FEWEST);
	fputs(diff->has_stacks && diff->options.by != DIFF_BY_STACK
		      ? "; ~ marks a total within noise\n"
		      : "\n",
	      out);
	if (!diff_is_repeated(diff))
		fputs("noise means that of sampling: the spread between runs needs several of each "
		      "(dwell diff OLD... -- NEW...)\n",
		      out);
}

static int add_digits(struct table *table, const char *name, const char *format, double value)
{
	char digits[UNITS_BYTES];

	snprintf(digits, sizeof(digits), format, value);
	return table_add_meta_digits(table, name, digits);
}

static int add_samples(struct table *table, const struct diff *diff)
{
	const struct diff_amount *before = &diff->all.sides[DIFF_OLD];
	const struct diff_amount *now = &diff->all.sides[DIFF_NEW];
	int status = table_add_meta(table, "sample_time",
				    diff->event     ? "events"
				    : diff->is_wall ? "wall"
						    : "cpu");

	if (!status)
		status = table_add_meta_number(table, "old_samples", before->samples);
	if (!status)
		status = table_add_meta_number(table, "new_samples", now->samples);
	if (!status)
		status = add_digits(table, diff->event ? "old_events" : "old_ns", "%.0f",
				    before->value);
	if (!status)
		status = add_digits(table, diff->event ? "new_events" : "new_ns", "%.0f",
				    now->value);
	if (!status)
		status = add_digits(table, "p", "%.4g", diff->all.p);
	if (!status)
		status = table_add_meta_digits(table, "significant",
					       diff->all.is_significant ? "true" : "false");
	if (!status)
		status = table_add_meta_digits(table, "normalized",
					       diff->options.is_normalized ? "true" : "false");
	if (!status)
		status = add_digits(table, "level", "%g", DIFF_LEVEL);
	if (!status)
		status = table_add_meta_number(table, "tested", diff->tested);
	return status;
}

static int add_calls(struct table *table, const struct calls_diff *diff)
{
	int status = add_digits(table, "old_calls", "%.15g", diff->calls[DIFF_OLD]);

	return status ? status : add_digits(table, "new_calls", "%.15g", diff->calls[DIFF_NEW]);
}

int diff_summary_add_meta(struct table *table, const struct diff_summary *summary)
{
	int status = table_add_meta(table, "old_command", summary->commands[DIFF_OLD]);

	if (!status)
		status = table_add_meta(table, "new_command", summary->commands[DIFF_NEW]);
	if (!status)
		status = table_add_meta_number(table, "old_runs", summary->runs[DIFF_OLD]);
	if (!status)
		status = table_add_meta_number(table, "new_runs", summary->runs[DIFF_NEW]);
	if (!status && summary->samples)
		status = add_samples(table, summary->samples);
	if (!status && summary->calls)
		status = add_calls(table, summary->calls);
	return status;
}
