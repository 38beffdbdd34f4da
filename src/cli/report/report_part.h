/* SPDX-License-Identifier: MIT
 *
 * report_part.h - the two parts of a report: samples and calls. Each is read, and then written as
 * text or as a table for programs.
 */
#ifndef DWELL_CLI_REPORT_REPORT_PART_H
#define DWELL_CLI_REPORT_REPORT_PART_H

#include "report.h"
#include "model/profile/call_tree.h"
#include "output/report/calls_table.h"
#include "output/report/samples_table.h"

/* Returns the number of rows to show; usual: the default for text. */
size_t report_rows(const struct report_options *options, size_t usual);

/* The default number of a tree's nodes, and the line below one without its smaller branches. */
#define REPORT_USUAL_NODES 100
#define REPORT_OMITTED     "smaller branches are omitted; --min 0 shows all\n"

/* Returns the part of all time below which branches of a tree are omitted. */
double report_threshold(const struct report_options *options);

/* Writes a table as text, and the number of rows that it omits. */
void report_write_rows(struct table *table, const struct terminal *terminal, size_t all,
		       size_t shown, FILE *out);

/* The samples of a recording. */
struct report_samples {
	const struct reader *reader;
	const struct report_options *options;
	const struct groups *groups; /* by label */
	struct profile_filter no_filter;
	struct profile profile;
	struct profile_rows rows; /* of a flat profile */
	struct call_tree tree;    /* of the other shapes */
	size_t limit;
	struct table table; /* once made for programs */
};

/* groups: by label; they must outlive the samples. On success, close it with
 * report_samples_close(). */
int report_samples_open(struct report_samples *samples, const struct reader *reader,
			const struct report_options *options, const struct groups *groups,
			struct err *err);
void report_samples_close(struct report_samples *samples);

int report_samples_write(struct report_samples *samples, const struct terminal *terminal, FILE *out,
			 struct err *err);
int report_samples_make_table(struct report_samples *samples, struct err *err);

#endif
