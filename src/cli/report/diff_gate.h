/* SPDX-License-Identifier: MIT
 *
 * diff_gate.h - whether what has become slower is more than a user puts up with.
 */
#ifndef DWELL_CLI_REPORT_DIFF_GATE_H
#define DWELL_CLI_REPORT_DIFF_GATE_H

#include "model/diff/calls_diff.h"
#include "model/diff/diff.h"

/* Of what there is on the old side, as parts of 1. */
struct diff_gate {
	bool has_time, has_calls;
	bool fails_single; /* also if nothing tells how much runs differ */
	double time;       /* by so much time may grow */
	double calls;      /* and numbers of calls */
	double least;      /* what has grown by less of all time does not matter */
};

/* Says on stderr what has grown by more, a sentence for each; returns how many of these are
 * failures. Times are not, unless there are several recordings of both sides, or that does not
 * matter; then it says so. Either kind may be NULL; their rows are put in order, what has changed
 * most first. */
size_t diff_gate_check(const struct diff_gate *gate, struct diff *samples, struct calls_diff *calls,
		       const char *verb);

#endif
