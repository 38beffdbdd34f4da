/* SPDX-License-Identifier: MIT
 *
 * selection.h - which samples or calls a query is about, and by what it groups them: conditions of
 * a user as SQL.
 */
#ifndef DWELL_FLEET_SELECTION_H
#define DWELL_FLEET_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "base/err.h"

/* One KEY=VALUE. Values of the same key are alternatives. */
struct selection_label {
	char *key, *value;
};

/* The table that a selection is of: each has columns of its own. */
enum selection_table { SELECTION_SAMPLES, SELECTION_CALLS };

/* All zeroes selects all samples of the database. Free with selection_free(). */
struct selection {
	enum selection_table table;
	struct selection_label *labels;
	size_t count;
	bool has_from, has_until;
	uint32_t from, until; /* seconds of the epoch; windows that begin in [from, until) */
};

/* Adds KEY=VALUE. */
int selection_add(struct selection *selection, const char *text, struct err *err);

/* Parses A..B, each an instant or empty: seconds of the epoch; 2026-11-16, with T and 18:00 or
 * 18:00:30 behind it or not, in UTC; or -90s, -5m, -2h, -7d before now. */
int selection_take_time(struct selection *selection, const char *text, time_t now, struct err *err);

/* Returns whether it has a condition for a key. */
bool selection_has(const struct selection *selection, const char *key);

void selection_free(struct selection *selection);

/* Returns all conditions as SQL; free with free(). NULL: no memory. */
char *selection_sql(const struct selection *selection);

/* Returns the same without conditions of functions: those of the runs that are selected. */
char *selection_sql_of_runs(const struct selection *selection);

/* Returns the SQL of the value of a key: a column of the table, or a label among the others. Free
 * with free(); NULL: no memory. */
char *selection_column(enum selection_table table, const char *key);

#endif
