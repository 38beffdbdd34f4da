/* SPDX-License-Identifier: MIT */
#include "report_gmon.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_part.h"
#include "model/profile/gmon_profile.h"
#include "output/report/gmon_table.h"

#define USUAL_ROWS 40

static int by_time(const void *left, const void *right)
{
	const struct gmon_row *const *a = left, *const *b = right;

	if ((*a)->ns != (*b)->ns)
		return (*a)->ns > (*b)->ns ? -1 : 1;
	if ((*a)->calls != (*b)->calls)
		return (*a)->calls > (*b)->calls ? -1 : 1;
	return strcmp((*a)->name, (*b)->name);
}

static int by_calls(const void *left, const void *right)
{
	const struct gmon_row *const *a = left, *const *b = right;

	if ((*a)->calls != (*b)->calls)
		return (*a)->calls > (*b)->calls ? -1 : 1;
	return by_time(left, right);
}

static int by_name(const void *left, const void *right)
{
	const struct gmon_row *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

/* Sorts a copy of the rows for tables. Calls refer to rows by index, so the original order stays.
 */
static int sort(struct gmon_profile *sorted, const struct gmon_profile *profile, const char *column,
		struct err *err)
{
	const struct gmon_row **order = calloc(profile->count + 1, sizeof(*order));

	*sorted = *profile;
	sorted->rows = calloc(profile->count + 1, sizeof(*sorted->rows));
	if (!order || !sorted->rows) {
		free(order);
		free(sorted->rows);
		return err_no_memory(err);
	}
	for (size_t i = 0; i < profile->count; i++)
		order[i] = &profile->rows[i];
	qsort(order, profile->count, sizeof(*order),
	      column && strcmp(column, "calls") == 0  ? by_calls
	      : column && strcmp(column, "name") == 0 ? by_name
						      : by_time);
	for (size_t i = 0; i < profile->count; i++)
		sorted->rows[i] = *order[i];
	free(order);
	return 0;
}

static int write_text(const struct gmon_profile *profile, const struct terminal *terminal,
		      size_t limit, FILE *out, struct err *err)
{
	struct table table;
	int status = gmon_table_make(&table, profile, limit, true, err);

	if (status)
		return status;
	report_write_rows(&table, terminal, profile->count, limit, out);
	table_fini(&table);
	putc('\n', out);
	gmon_table_write_summary(profile, out);
	return 0;
}

static int write_data(const struct gmon_profile *profile, const struct gmon_profile *sorted,
		      size_t limit, enum table_format format, FILE *out, struct err *err)
{
	struct table rows, calls;
	const struct table *const tables[] = { &rows, &calls };
	int status = gmon_table_make(&rows, sorted, limit, false, err);

	if (status)
		return status;
	status = gmon_table_make_calls(&calls, profile, err);
	if (!status) {
		table_write_all(tables, profile->call_count || format == TABLE_JSON ? 2 : 1, format,
				out);
		table_fini(&calls);
	}
	table_fini(&rows);
	return status;
}

static int write_profile(const struct gmon_profile *profile, const struct report_options *options,
			 FILE *out, struct err *err)
{
	size_t limit = report_rows(options, USUAL_ROWS);
	struct gmon_profile sorted;
	struct terminal terminal;
	int status = sort(&sorted, profile, options->sort, err);

	if (status)
		return status;
	terminal = display_open(&options->display, options->format, out);
	status = options->format == TABLE_TEXT
			 ? write_text(&sorted, &terminal, limit, out, err)
			 : write_data(profile, &sorted, limit, options->format, out, err);
	display_close();
	free(sorted.rows);
	return status;
}

/* Rejects options that only recordings support. */
static int check(const char *path, const struct report_options *options, struct err *err)
{
	const struct profile_filter *filter = options->filter;

	if (options->shape != REPORT_FLAT || options->samples_by != PROFILE_BY_FUNCTION ||
	    options->by != CALLS_BY_FUNCTION || filter->focus.count || filter->ignore.count ||
	    filter->hide.count || filter->thread || filter->pid || filter->has_time)
		return err_set(err, EINVAL,
			       "'%s' is a gmon.out, which contains no stacks, threads or times: it "
			       "can only be shown by function and as a whole",
			       path);
	return 0;
}

static int open_all(struct gmon *gmon, char *const *paths, size_t count, struct err *err)
{
	int status = gmon_open(gmon, paths[0], err);

	for (size_t i = 1; i < count && !status; i++) {
		status = gmon_add(gmon, paths[i], err);
		if (status)
			gmon_close(gmon);
	}
	return status;
}

int report_gmon_write(char *const *paths, size_t count, const char *program,
		      const struct report_options *options, FILE *out, struct err *err)
{
	struct gmon_profile profile;
	struct gmon gmon;
	int status = check(paths[0], options, err);

	if (!status)
		status = open_all(&gmon, paths, count, err);
	if (status)
		return status;
	if (!program && access(REPORT_GMON_PROGRAM, F_OK))
		status = err_set(
			err, ENOENT,
			"'%s' does not name its program, and there is no '" REPORT_GMON_PROGRAM
			"' here: use --exe FILE",
			paths[0]);
	if (!status)
		status = gmon_profile_make(&profile, &gmon, program ? program : REPORT_GMON_PROGRAM,
					   options->filter->mangled, err);
	if (!status) {
		status = write_profile(&profile, options, out, err);
		gmon_profile_free(&profile);
	}
	gmon_close(&gmon);
	return status;
}
