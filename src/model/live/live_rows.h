/* SPDX-License-Identifier: MIT
 *
 * live_rows.h - what the window of live.h says, as rows: functions, threads, or who calls a
 * function and whom it calls.
 */
#ifndef DWELL_MODEL_LIVE_LIVE_ROWS_H
#define DWELL_MODEL_LIVE_LIVE_ROWS_H

#include "live.h"

enum live_by { LIVE_FUNCTIONS, LIVE_THREADS, LIVE_AROUND };
enum live_sort { LIVE_BY_SELF, LIVE_BY_TOTAL, LIVE_BY_NAME };

/* Beside which function a row of LIVE_AROUND stands, in the order in which they are shown. */
enum live_role { LIVE_CALLER, LIVE_ITSELF, LIVE_CALLEE };

struct live_query {
	enum live_by by;
	enum live_sort sort;
	uint32_t function; /* of LIVE_AROUND */
	uint32_t tid;      /* of this thread alone; 0: of all */
	/* "": all. One with a colon or a character of globs is a SPEC, see base/spec.h; any other
	 * is a part of the name of the function, object or thread, in upper or lower case. */
	const char *filter;
};

/* Texts belong to the model. */
struct live_row {
	const char *name;
	const char *object; /* NULL for threads */
	uint32_t function;  /* of functions */
	uint32_t pid, tid;  /* of threads */
	enum live_role role;
	/* Around a function, as far as that is of it: a caller's total is what it called it for. */
	struct profile_amount self, total;
};

struct live_rows {
	struct live_row *rows;
	size_t count;
};

/* Valid until the next live_refresh(). On success, live_rows_free() is due. A filter that is no
 * SPEC fails with the sentence. */
int live_rows_make(struct live_rows *rows, const struct live *live, const struct live_query *query,
		   struct err *err);
void live_rows_free(struct live_rows *rows);

#endif
