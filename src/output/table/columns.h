/* SPDX-License-Identifier: MIT
 *
 * columns.h - fills a table by a list of columns. Each report has a list for people and a list for
 * programs, and a function that prints one cell; which columns apply, the rows, and what runs out
 * of memory are handled here.
 */
#ifndef DWELL_OUTPUT_TABLE_COLUMNS_H
#define DWELL_OUTPUT_TABLE_COLUMNS_H

#include "base/err.h"
#include "table.h"
#include "units.h"

struct column {
	const char *name;
	int what;       /* what its cells show; as the next, an enum of the report's */
	unsigned when;  /* which tables have it */
	unsigned flags; /* enum table_column_flags */
	size_t detail;  /* the report's: the member that is shown, or the side that it is of */
};

struct column_list {
	const struct column *columns;
	size_t count;
};

#define COLUMN_LIST(list)                                                                          \
	{                                                                                          \
		list, sizeof(list) / sizeof((list)[0])                                             \
	}

/* A cell while its row is made. */
struct cell {
	bool human; /* units and thousands, for people */
	bool failed;
	char room[UNITS_BYTES + 1]; /* a number as text */
	char *text;                 /* one that is longer, to be freed */
};

/* A table while it is filled. The first members are the caller's. */
struct filling {
	const void *source; /* of the report */
	const void *rows;
	size_t row_bytes;
	size_t row_count; /* that are shown */
	bool human;
	const struct column *columns[TABLE_COLUMNS_MAX]; /* that apply */
	size_t count;
};

/* Initializes a table with the first rows of an array, at most so many. */
#define FILLING(of, array, all, most, for_people)                                                  \
	{                                                                                          \
		.source = (of), .rows = (array), .row_bytes = sizeof(*(array)),                    \
		.row_count = (most) < (all) ? (most) : (all), .human = (for_people)                \
	}

struct columns_report {
	const char *name; /* of the table */
	struct column_list for_people, for_programs;

	/* NULL: all columns apply. */
	bool (*applies)(const struct filling *filling, const struct column *column);
	/* Returns the text of a cell, which need not be in its memory; NULL: there is no value. */
	const char *(*print)(const struct filling *filling, const void *row,
			     const struct column *column, struct cell *cell);
	/* NULL: rows look plain. */
	struct table_look (*look)(const struct filling *filling, const void *row);
};

/* Makes a table of all rows. On success, free with table_fini(). */
int columns_fill(struct table *table, const struct columns_report *report, struct filling *filling,
		 struct err *err);

/* The same in steps, for rows that are not in an array. columns_add() returns 0 or -ENOMEM. */
void columns_begin(struct table *table, const struct columns_report *report,
		   struct filling *filling);
int columns_add(struct table *table, const struct columns_report *report,
		const struct filling *filling, const void *row);

/* Print into a cell, and return the text: a number in digits; with its thousands apart for people;
 * a time with its unit for people, else in ns; an amount of samples, which is one of the
 * two; by a format for one double. */
const char *cell_number(struct cell *cell, uint64_t number);
const char *cell_count(struct cell *cell, uint64_t number);
const char *cell_time(struct cell *cell, uint64_t ns);
const char *cell_amount(struct cell *cell, uint64_t amount, bool is_count);
const char *cell_double(struct cell *cell, const char *format, double value);

/* Takes a text that was allocated; NULL: there was no memory for it. */
const char *cell_own(struct cell *cell, char *text);

#endif
