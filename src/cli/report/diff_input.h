/* SPDX-License-Identifier: MIT
 *
 * diff_input.h - the recordings of both sides of a comparison, read.
 */
#ifndef DWELL_CLI_REPORT_DIFF_INPUT_H
#define DWELL_CLI_REPORT_DIFF_INPUT_H

#include "base/err.h"
#include "model/diff/calls_diff.h"
#include "model/diff/diff.h"
#include "recording/read/reader.h"

/* One recording. */
struct diff_run {
	struct reader reader;
	struct profile profile; /* if all recordings have samples */
	struct calls calls;     /* if all recordings have calls */
};

struct diff_side_runs {
	struct diff_run *runs;
	const struct profile **profiles; /* of the runs, as the model takes them */
	const struct calls **calls;
	size_t count;
	char *command; /* of the first */
	char *program; /* the last part of the path of what that ran */
};

struct diff_input {
	struct diff_side_runs sides[DIFF_SIDES];
	bool has_samples, has_calls; /* in all recordings */
};

/* The paths of the recordings of a side. */
struct diff_paths {
	char *const *paths;
	size_t count;
};

/* On success, diff_input_close() is due. The filter must outlive the answer. */
int diff_input_open(struct diff_input *input, const struct diff_paths paths[DIFF_SIDES],
		    struct profile_filter *filter, struct err *err);
void diff_input_close(struct diff_input *input);

/* Compares what there is of both. On success, diff_free() and calls_diff_free() are due. */
int diff_input_compare_samples(const struct diff_input *input, const struct diff_options *options,
			       struct diff *diff, struct err *err);
int diff_input_compare_calls(const struct diff_input *input, struct calls_diff *diff,
			     struct err *err);

#endif
