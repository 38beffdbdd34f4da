/* SPDX-License-Identifier: MIT
 *
 * profile_rows.h - a flat profile: the time spent in each function itself, and in all that it
 * called. Or in each line, object, thread, process, group of processes or region.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_ROWS_H
#define DWELL_MODEL_PROFILE_PROFILE_ROWS_H

#include "profile.h"
#include "model/groups.h"

/* Lines require a profile read with them. */
enum profile_by {
	PROFILE_BY_FUNCTION,
	PROFILE_BY_LINE,
	PROFILE_BY_OBJECT,
	PROFILE_BY_THREAD,
	PROFILE_BY_PROCESS,
	PROFILE_BY_LABEL,
	PROFILE_BY_REGION
};

/* Texts belong to the profile. */
struct profile_row {
	const char *name;   /* of the function, object, thread or, as its first argument, process;
			     * by label its value */
	const char *symbol; /* by function and by line; NULL: none */
	const char *object; /* by function and by line */
	const char *source; /* by line; NULL: unknown */
	uint32_t line;      /* by line; 0: unknown */
	uint32_t function;  /* by function and by line: its number */
	const struct record_process *process; /* by thread and by process; NULL: unknown */
	uint32_t tid;                         /* by thread */
	struct profile_amount self;
	struct profile_amount total; /* counted once per stack */
	uint64_t calls;              /* counted, if joined; 0: none */
	double mean_ns;              /* per call; below 0: not timed */
	uint64_t calls_ns;           /* by label, if joined: time in all counted calls */
	uint32_t processes;          /* by label: their number; 0: unknown */
};

/* An object, and the time in its functions without a symbol. */
struct profile_nameless {
	const struct symbolizer_object *object;
	uint64_t ns, whole_ns;
};

struct profile_rows {
	enum profile_by by;
	struct profile_row *rows;
	size_t count;
	const struct groups *groups; /* by label */
	bool joined; /* with calls, by join.h; or functions have counted them themselves */
};

/* Makes rows. The profile must outlive the result. On success, free with profile_rows_free(). */
int profile_rows_make(struct profile_rows *rows, const struct profile *profile, enum profile_by by,
		      struct err *err);

/* Makes a row for each group, even without samples. The groups must outlive the result, too. */
int profile_rows_make_groups(struct profile_rows *rows, const struct profile *profile,
			     const struct groups *groups, struct err *err);
void profile_rows_free(struct profile_rows *rows);

/* Lists the objects, those with the most time first; free with free(). */
int profile_nameless(const struct profile *profile, struct profile_nameless **list, size_t *count,
		     struct err *err);

/* Code made at run time without names. */
struct profile_made {
	uint64_t ns;
	const struct maps_process *process; /* that has the most of it; NULL: none known */
};

struct profile_made profile_made_nameless(const struct profile *profile);

/* The names of all columns, for a message. */
#define PROFILE_SORT_COLUMNS "self, total, samples, name, line or object"

bool profile_sort_known(const char *column);

/* Sorts numbers from the largest down, names from a to z. By self if the column is NULL. */
void profile_rows_sort(struct profile_rows *rows, const char *column);

#endif
