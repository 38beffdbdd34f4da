/* SPDX-License-Identifier: MIT
 *
 * diff_input.h - reads the recordings of both sides of a comparison.
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
	struct profile profile; /* if all recordings contain samples */
	struct calls calls;     /* if all recordings contain calls */
};

struct diff_side_runs {
	struct diff_run *runs;
	const struct profile **profiles; /* of the runs, for the model */
	const struct calls **calls;
	size_t count;
	char *command; /* of the first run */
	char *program; /* the last part of its program's path */
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

/* The filter must outlive the input. On success, close it with diff_input_close(). */
int diff_input_open(struct diff_input *input, const struct diff_paths paths[DIFF_SIDES],
		    struct profile_filter *filter, struct err *err);
void diff_input_close(struct diff_input *input);

/* Compare what both sides contain. On success, free the results with diff_free() and
 * calls_diff_free(). */
int diff_input_compare_samples(const struct diff_input *input, const struct diff_options *options,
			       struct diff *diff, struct err *err);
int diff_input_compare_calls(const struct diff_input *input, struct calls_diff *diff,
			     struct err *err);

#endif
