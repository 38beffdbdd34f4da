/* SPDX-License-Identifier: MIT
 *
 * live_rows.h - makes rows of the window of live.h: functions, threads, programs, or the callers
 * and callees of a function.
 */
#ifndef DWELL_MODEL_LIVE_LIVE_ROWS_H
#define DWELL_MODEL_LIVE_LIVE_ROWS_H

#include "live.h"

enum live_by { LIVE_FUNCTIONS, LIVE_THREADS, LIVE_PROGRAMS, LIVE_AROUND };
enum live_sort { LIVE_BY_SELF, LIVE_BY_TOTAL, LIVE_BY_WAITING, LIVE_BY_NAME };

/* The relation of a row of LIVE_AROUND to the function, in the order in which they are shown. */
enum live_role { LIVE_CALLER, LIVE_ITSELF, LIVE_CALLEE };

struct live_query {
	enum live_by by;
	enum live_sort sort;
	uint32_t function;   /* for LIVE_AROUND */
	uint32_t tid;        /* only this thread; 0: all */
	const char *program; /* only processes of this; "" or NULL: all */
	/* "": all. With a colon or a glob character it is a SPEC, see base/spec.h; otherwise a part
	 * of the name of the function, object or thread, in upper or lower case. */
	const char *filter;
};

/* Texts belong to the model. */
struct live_row {
	const char *name;
	const char *object; /* NULL for threads and programs */
	uint32_t function;  /* its number; for programs, that of their name */
	uint32_t pid, tid;  /* for threads */
	uint32_t processes; /* for programs: their number */
	enum live_role role;
	/* Around a function, only the part that belongs to it: a caller's total is the time of its
	 * calls. */
	struct profile_amount self, total;
	uint64_t waiting_ns; /* the part of total in which threads waited */
};

struct live_rows {
	struct live_row *rows;
	size_t count;
};

/* Makes rows that are valid until the next live_refresh(). On success, free with live_rows_free().
 * An invalid SPEC as filter fails with the message. */
int live_rows_make(struct live_rows *rows, const struct live *live, const struct live_query *query,
		   struct err *err);
void live_rows_free(struct live_rows *rows);

#endif
