/* SPDX-License-Identifier: MIT
 *
 * calls.h - what a recording says of each function: how often it was called and how long that took,
 * over all threads and processes or for each.
 */
#ifndef DWELL_MODEL_CALLS_CALLS_H
#define DWELL_MODEL_CALLS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "histogram.h"
#include "timescale.h"
#include "recording/read/reader.h"

/* What has a row of its own beside each function. */
enum calls_by { CALLS_BY_FUNCTION, CALLS_BY_CALLER, CALLS_BY_THREAD, CALLS_BY_PROCESS };

/* Texts and records belong to the reader, but for the name. */
struct calls_row {
	char *name;          /* demangled */
	const char *symbol;  /* "?": the recording does not say */
	const char *version; /* NULL: none */
	const char *object;
	const char *caller;                   /* by caller; NULL: unknown */
	const struct record_process *process; /* by thread and by process; NULL: unknown */
	const struct record_thread *thread;   /* by thread; NULL: unknown */

	uint64_t calls; /* at entry; returned + escaped + abandoned + untimed + running */
	uint64_t returned, escaped, abandoned, untimed, running;

	bool timed;         /* some returned, and so there are the times below */
	uint64_t total_ns;  /* without calls inside calls of the same function */
	bool total_unknown; /* sampled, and it calls itself: which calls are inside others cannot be
			       told */
	uint64_t self_ns;   /* without what other wrapped functions took meanwhile */
	uint64_t min_ns, max_ns;
	uint64_t p50_ns, p90_ns, p99_ns;
	double mean_ns;
	double stderr_ns; /* of the mean, if sampled; below 0: one call is not enough to tell */
	struct histogram *histogram; /* of durations in ticks, if it is kept and there are times */

	double sampled_ns; /* in the function itself, by samples; below 0: it has none */
};

struct calls_totals {
	size_t processes; /* by fork() and its like; exec() makes no new one */
	uint64_t threads; /* that called one of the functions */
	size_t objects;   /* different ones, as are functions */
	size_t functions_chosen;
	size_t functions_called;
	size_t unnamed; /* records of calls whose function the recording does not name */
	uint64_t calls, running, self_ns;
	uint64_t overhead_ns; /* what the wrapper took; in no other figure */
	uint64_t lost_threads, lost_calls, lost_functions;
	uint64_t bindings; /* how many times a function was handed out wrapped */
};

struct calls {
	struct calls_row *rows;
	size_t count;
	struct calls_totals totals;
	struct timescale scale;
	enum calls_by by;
	bool counted; /* there are no times */
	bool sampled; /* the times are of a part of the calls, and stand for all */
	bool keeps_histograms;
	bool joined; /* with samples, by join.h, so that there is sampled_ns */
};

/* The reader must outlive the answer. On success, calls_free() is due. */
int calls_merge(struct calls *calls, const struct reader *reader, enum calls_by by,
		struct err *err);

/* The same, and each row keeps its histogram, which takes 12 KB. */
int calls_merge_histograms(struct calls *calls, const struct reader *reader, enum calls_by by,
			   struct err *err);
void calls_free(struct calls *calls);

#endif
