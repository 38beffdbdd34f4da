/* SPDX-License-Identifier: MIT */
#include "report_imbalance.h"

#include "report_filter.h"
#include "report_part.h"
#include "output/report/imbalance_table.h"

/* The default number of rows. */
#define USUAL_ROWS 40

/* Samples and calls, compared separately: a wait in a call uses no CPU time. */
enum { SAMPLES, CALLS, PARTS };

struct comparison {
	const struct reader *reader;
	const struct report_options *options;
	struct groups groups;
	struct profile profile;
	struct calls calls;
	bool is_there[PARTS];
	struct imbalance imbalances[PARTS];
};

static int compare_samples(struct comparison *comparison, struct err *err)
{
	int status = report_filter_read(&comparison->profile, comparison->reader,
					comparison->options->filter, err);

	if (status)
		return status;
	status = imbalance_of_samples(&comparison->imbalances[SAMPLES], &comparison->profile,
				      &comparison->groups, err);
	comparison->is_there[SAMPLES] = true;
	return status;
}

static int compare_calls(struct comparison *comparison, struct err *err)
{
	int status = calls_merge_groups(&comparison->calls, comparison->reader, &comparison->groups,
					err);

	if (status)
		return status;
	status = imbalance_of_calls(&comparison->imbalances[CALLS], &comparison->calls,
				    &comparison->groups, err);
	comparison->is_there[CALLS] = true;
	return status;
}

static int compare(struct comparison *comparison, struct err *err)
{
	const struct reader *reader = comparison->reader;
	int status = groups_read(&comparison->groups, reader, comparison->options->label, err);

	if (!status && profile_exists(reader))
		status = compare_samples(comparison, err);
	if (!status && report_has_calls(reader))
		status = compare_calls(comparison, err);
	return status;
}

static void free_comparison(struct comparison *comparison)
{
	for (size_t i = 0; i < PARTS; i++)
		imbalance_free(&comparison->imbalances[i]);
	if (comparison->is_there[SAMPLES])
		profile_free(&comparison->profile);
	if (comparison->is_there[CALLS])
		calls_free(&comparison->calls);
	groups_free(&comparison->groups);
}

/* Returns the event that the samples count; NULL: time. */
static const char *event_of(const struct comparison *comparison, size_t part)
{
	return part == SAMPLES ? comparison->profile.totals.event : NULL;
}

static struct imbalance_source source_of(const struct comparison *comparison, size_t part)
{
	static const char *const names[] = { [SAMPLES] = "imbalance", [CALLS] = "calls_imbalance" };

	return (struct imbalance_source){ .name = names[part],
					  .imbalance = &comparison->imbalances[part],
					  .groups = &comparison->groups,
					  .limit = report_rows(comparison->options, USUAL_ROWS),
					  .is_count = event_of(comparison, part) };
}

static int write_part(const struct comparison *comparison, size_t part,
		      const struct terminal *terminal, FILE *out, struct err *err)
{
	static const char *const what[] = { [SAMPLES] = "CPU time", [CALLS] = "time in calls" };
	struct imbalance_source source = source_of(comparison, part);
	struct table table;
	int status = imbalance_table_make(&table, &source, true, err);

	if (status)
		return status;
	report_write_rows(&table, terminal, source.imbalance->count, source.limit, out);
	putc('\n', out);
	imbalance_table_summary(&source, source.is_count ? event_of(comparison, part) : what[part],
				out);
	table_fini(&table);
	return 0;
}

static int write_text(const struct comparison *comparison, const struct terminal *terminal,
		      FILE *out, struct err *err)
{
	bool is_first = true;
	int status = 0;

	for (size_t i = 0; i < PARTS && !status; i++) {
		if (!comparison->is_there[i])
			continue;
		fputs(is_first ? "" : "\n", out);
		is_first = false;
		status = write_part(comparison, i, terminal, out, err);
	}
	return status;
}

static int add_meta(struct table *table, const struct comparison *comparison, struct err *err)
{
	static const char *const prefixes[] = { [SAMPLES] = "", [CALLS] = "calls_" };

	if (table_add_meta(table, "label", comparison->groups.key) ||
	    table_add_meta_number(table, "groups", comparison->groups.count))
		return err_no_memory(err);
	for (size_t i = 0; i < PARTS; i++) {
		struct imbalance_source source = source_of(comparison, i);

		if (comparison->is_there[i] &&
		    imbalance_table_add_meta(table, &source, prefixes[i]))
			return err_no_memory(err);
	}
	return 0;
}

static int write_data(const struct comparison *comparison, FILE *out, struct err *err)
{
	bool is_json = comparison->options->format == TABLE_JSON;
	struct table tables[PARTS] = { { 0 } };
	const struct table *shown[PARTS];
	size_t count = 0;
	int status = 0;

	for (size_t i = 0; i < PARTS && !status; i++) {
		struct imbalance_source source = source_of(comparison, i);

		status = imbalance_table_make(&tables[i], &source, false, err);
		if (!status && (is_json || comparison->is_there[i]))
			shown[count++] = &tables[i];
	}
	if (!status && is_json)
		status = add_meta(&tables[0], comparison, err);
	if (!status)
		table_write_all(shown, count, comparison->options->format, out);
	for (size_t i = 0; i < PARTS; i++)
		table_fini(&tables[i]);
	return status;
}

int report_imbalance_write(const struct reader *reader, const struct report_options *options,
			   FILE *out, struct err *err)
{
	struct comparison comparison = { .reader = reader, .options = options };
	struct terminal terminal;
	int status = compare(&comparison, err);

	if (!status) {
		terminal = display_open(&options->display, options->format, out);
		status = options->format == TABLE_TEXT
				 ? write_text(&comparison, &terminal, out, err)
				 : write_data(&comparison, out, err);
		display_close();
	}
	free_comparison(&comparison);
	return status;
}
