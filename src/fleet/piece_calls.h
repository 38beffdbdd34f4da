/* SPDX-License-Identifier: MIT
 *
 * piece_calls.h - the calls of a recording as rows of a table: a row for each run, function and
 * calling object.
 */
#ifndef DWELL_FLEET_PIECE_CALLS_H
#define DWELL_FLEET_PIECE_CALLS_H

#include "model/calls/sums.h"
#include "recording/read/runs.h"

/* Times are in nanoseconds. The rows of all callers of a function in a run add up to exactly what a
 * report by function shows, so a row of one caller may be a nanosecond off. */
struct piece_call {
	uint32_t origin;
	const struct calls_row *row;
	int64_t spent_ns; /* of all calls that returned, nested ones included */
	int64_t total_ns, self_ns;
};

struct piece_calls {
	struct calls calls; /* by calling object and run, with their sums */
	struct groups groups;
	struct piece_call *list; /* by run, function and caller */
	size_t count;
};

/* Reads all calls; the reader must outlive the result. On success, free with piece_calls_free(). */
int piece_calls_make(struct piece_calls *calls, const struct reader *reader,
		     const struct runs *runs, struct err *err);
void piece_calls_free(struct piece_calls *calls);

/* Returns the events of a row: calls that began, and those that ended in any way. No row has 0. */
uint64_t piece_call_events(const struct piece_call *call);

#endif
