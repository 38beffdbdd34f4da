/* SPDX-License-Identifier: MIT */
#include "report_filter.h"
#include "report_part.h"
#include "output/report/samples_summary.h"
#include "output/report/tree_table.h"

/* The default number of rows. */
#define USUAL_ROWS 40

static int read_rows(struct report_samples *samples, struct err *err)
{
	const struct report_options *options = samples->options;
	int status = samples->groups ? profile_rows_make_groups(&samples->rows, &samples->profile,
								samples->groups, err)
				     : profile_rows_make(&samples->rows, &samples->profile,
							 options->samples_by, err);

	if (!status)
		profile_rows_sort(&samples->rows, options->sort);
	samples->limit = report_rows(options, USUAL_ROWS);
	return status;
}

static int read_tree(struct report_samples *samples, struct err *err)
{
	const struct report_options *options = samples->options;

	samples->limit = report_rows(options, REPORT_USUAL_NODES);
	return call_tree_make(&samples->tree, &samples->profile,
			      options->shape == REPORT_TREE ? CALL_TREE_DOWN : CALL_TREE_UP,
			      report_threshold(options), err);
}

int report_samples_open(struct report_samples *samples, const struct reader *reader,
			const struct report_options *options, const struct groups *groups,
			struct err *err)
{
	struct profile_filter *filter;
	int status;

	*samples =
		(struct report_samples){ .reader = reader, .options = options, .groups = groups };
	filter = options->filter ? options->filter : &samples->no_filter;
	filter->arcs = options->shape == REPORT_FLAT && options->samples_by == PROFILE_BY_FUNCTION;
	status = report_filter_read(&samples->profile, reader, filter, err);
	if (status)
		return status;
	status = options->shape == REPORT_FLAT ? read_rows(samples, err) : read_tree(samples, err);
	if (status)
		report_samples_close(samples);
	return status;
}

void report_samples_close(struct report_samples *samples)
{
	table_fini(&samples->table);
	profile_rows_free(&samples->rows);
	call_tree_free(&samples->tree);
	profile_free(&samples->profile);
}

static int make_table(struct report_samples *samples, bool human, struct err *err)
{
	struct samples_source source = { .profile = &samples->profile,
					 .rows = &samples->rows,
					 .limit = samples->limit };

	if (samples->options->shape != REPORT_FLAT)
		return tree_table_make(&samples->table, &samples->profile, &samples->tree,
				       samples->limit, human, err);
	return samples_table_make(&samples->table, &source, human, err);
}

int report_samples_make_table(struct report_samples *samples, struct err *err)
{
	return make_table(samples, false, err);
}

int report_samples_write(struct report_samples *samples, const struct terminal *terminal, FILE *out,
			 struct err *err)
{
	bool is_flat = samples->options->shape == REPORT_FLAT;
	size_t all = is_flat ? samples->rows.count : samples->tree.count;
	int status = make_table(samples, true, err);

	if (status)
		return status;
	report_write_rows(&samples->table, terminal, all, samples->limit, out);
	if (samples->tree.left_out)
		fputs(REPORT_OMITTED, out);
	putc('\n', out);
	if (is_flat && samples->rows.by == PROFILE_BY_REGION &&
	    !profile_regions_exist(&samples->profile.regions))
		fputs("the recording " PROFILE_REGIONS_ABSENT "\n", out);
	return samples_summary_write(samples->reader, &samples->profile, out, err);
}
