/* SPDX-License-Identifier: MIT
 *
 * diff_gate.h - decides whether a slowdown is more than the user allows.
 */
#ifndef DWELL_CLI_REPORT_DIFF_GATE_H
#define DWELL_CLI_REPORT_DIFF_GATE_H

#include "model/diff/calls_diff.h"
#include "model/diff/diff.h"

/* Limits, as parts of the old values. */
struct diff_gate {
	bool has_time, has_calls;
	bool fails_single; /* even if the spread of the runs is unknown */
	double time;       /* the most that time may grow by */
	double calls;      /* the most that numbers of calls may grow by */
	double least;      /* smaller growth, as a part of all time, does not matter */
};

/* Prints everything that has grown by more on stderr, a line each, and returns the number of
 * failures. Growth of times is a failure only if there are several recordings of both sides, or
 * fails_single is set; otherwise a message says so. Either kind may be NULL; rows are sorted by
 * change. */
size_t diff_gate_check(const struct diff_gate *gate, struct diff *samples, struct calls_diff *calls,
		       const char *verb);

#endif
