/* SPDX-License-Identifier: MIT
 *
 * calls.h - the calls of each function in a recording: their number and duration, over all threads
 * and processes or for each.
 */
#ifndef DWELL_MODEL_CALLS_CALLS_H
#define DWELL_MODEL_CALLS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/entry_refusal.h"
#include "base/err.h"
#include "model/groups.h"
#include "recording/read/reader.h"
#include "recording/read/timescale.h"

/* Gets a row of its own beside each function. */
enum calls_by {
	CALLS_BY_FUNCTION,
	CALLS_BY_CALLER,        /* a function, or the object if only that was recorded */
	CALLS_BY_NATIVE_CALLER, /* the same, even where a function of a script was running */
	CALLS_BY_CALLING_OBJECT,
	CALLS_BY_THREAD,
	CALLS_BY_PROCESS,
	CALLS_BY_LABEL
};

struct calls_sums;
struct callers;

/* Texts and records belong to the reader, except for the names of function and caller. */
struct calls_row {
	char *name;          /* demangled */
	const char *symbol;  /* "?": not in the recording */
	const char *version; /* NULL: none */
	const char *object;
	const char *caller;                   /* by caller; NULL: unknown */
	const char *caller_object;            /* by caller; NULL: unknown */
	const struct record_process *process; /* by thread and by process; NULL: unknown */
	const struct record_thread *thread;   /* by thread; NULL: unknown */
	uint32_t group;                       /* of the calls' groups, or GROUPS_NONE */
	const char *label;                    /* by label: its value; NULL: none */

	uint64_t calls; /* at entry; returned + escaped + abandoned + untimed + running */
	uint64_t returned, escaped, abandoned, untimed, running;

	bool timed;         /* some returned, so the times below are valid */
	uint64_t total_ns;  /* without calls nested in calls of the same function */
	bool total_unknown; /* sampled, and it calls itself: nested calls cannot be separated */
	uint64_t self_ns;   /* without the time of other wrapped functions meanwhile */
	uint64_t min_ns, max_ns;
	uint64_t p50_ns, p90_ns, p99_ns;
	double mean_ns;
	double waiting;          /* part of the time that threads did not run; below 0: unknown */
	uint64_t cpu_ns;         /* the rest of the total; all of it if that is unknown */
	uint64_t watched;        /* long calls whose CPU time was measured */
	double stderr_ns;        /* of the mean, if sampled; below 0: unknown after one call */
	struct calls_sums *sums; /* in ticks, if kept and there are times: sums.h */

	double sampled_ns; /* in the function itself, by samples; below 0: none */
};

struct calls_totals {
	size_t processes; /* by fork() and the like; exec() makes no new one */
	uint64_t threads; /* that called one of the functions */
	size_t objects;   /* distinct ones, as are functions */
	size_t functions_chosen;
	size_t refused[ENTRY_REFUSALS]; /* functions that could not be patched, by reason */
	size_t functions_called;
	size_t unnamed; /* records of calls whose function is not named in the recording */
	uint64_t calls, running, self_ns;
	uint64_t overhead_ns; /* of the wrapper; in no other figure */
	uint64_t lost_threads, lost_calls, lost_functions;
	uint64_t lost_callers;   /* calls by caller, for whose call site there was no room */
	uint64_t unread_scripts; /* calls by functions of scripts that could not be read */
	const struct record_interpreter *unknown; /* whose functions have no names; NULL: none */
	uint64_t bindings;                        /* times that a function was handed out wrapped */
};

struct calls {
	struct calls_row *rows;
	size_t count;
	struct calls_totals totals;
	struct timescale scale;
	enum calls_by by;
	const struct groups *groups; /* NULL: none; owned by the caller */
	struct callers *callers;     /* by caller: their names; NULL otherwise */
	bool counted;                /* without times */
	bool sampled;                /* the times are of a part of the calls, and stand for all */
	bool keeps_sums;
	bool joined; /* with samples, by join.h, so that sampled_ns is set */
	/* The event that all `..._ns` count, as in an imported callgrind.out; NULL: they are
	 * time. */
	const char *event;
};

/* Merges all calls. The reader must outlive the result. On success, free with calls_free(). */
int calls_merge(struct calls *calls, const struct reader *reader, enum calls_by by,
		struct err *err);

/* Merges all calls, with rows for each group of processes. */
int calls_merge_groups(struct calls *calls, const struct reader *reader,
		       const struct groups *groups, struct err *err);

/* Merges all calls, and keeps the sums of each row, which take 12 KB. groups: NULL, or rows are for
 * each group as well. */
int calls_merge_sums(struct calls *calls, const struct reader *reader, enum calls_by by,
		     const struct groups *groups, struct err *err);
void calls_free(struct calls *calls);

#endif
