/* SPDX-License-Identifier: MIT
 *
 * runs.h - the runs that a recording consists of: one, or those that were merged. Pids of two
 * machines are different processes even if they are the same number.
 */
#ifndef DWELL_RECORDING_READ_RUNS_H
#define DWELL_RECORDING_READ_RUNS_H

#include "base/err.h"
#include "reader.h"

struct run {
	const struct reader_segment *setup;
	const struct record_origin *origin; /* NULL: it was not merged */
	uint32_t machine;  /* a number from 0: equal for runs since the same boot, with the same
			    * labels. A pid is the same process in all of them */
	bool is_elsewhere; /* it was merged, and is not since this boot of this machine: files of
			    * its pids are not here */
};

struct runs {
	struct run *list; /* by the offset of their SETUP */
	size_t count;
};

/* Finds the runs. On success, free with runs_free(). */
int runs_read(struct runs *runs, const struct reader *reader, struct err *err);
void runs_free(struct runs *runs);

/* Returns the number of the run that a process belongs to; 0 if that is missing. */
uint32_t runs_find(const struct runs *runs, const struct reader_segment *process);

/* Adds a process of the run of that number to a list. */
typedef int runs_add(void *list, const struct reader_segment *process, uint32_t number,
		     const struct run *run, struct err *err);

/* Adds all processes, by their offsets. Stops at an error, and returns it. */
int runs_add_processes(const struct reader *reader, runs_add *adds, void *list, struct err *err);

/* Returns the run of a number; all 0 for one that does not exist. */
struct run runs_get(const struct runs *runs, uint32_t number);

#endif
