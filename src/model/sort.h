/* SPDX-License-Identifier: MIT
 *
 * sort.h - puts the rows of a report in order by one of their columns: numbers from the largest
 * down, texts from a to z. Each report has a list of the columns that it can be sorted by.
 */
#ifndef DWELL_MODEL_SORT_H
#define DWELL_MODEL_SORT_H

#include <stdbool.h>
#include <stddef.h>

/* The type of a row's member, or the function that stands in for one. */
enum sort_kind {
	SORT_UINT64,
	SORT_DOUBLE,
	SORT_TEXT, /* const char *; NULL is as "" */
	SORT_NUMBER,
	SORT_ORDER,
};

struct sort_column {
	const char *name;
	enum sort_kind kind;
	size_t member; /* its offset in a row, by which the first kinds go */
	double (*number)(const void *row, const void *context);
	int (*order)(const void *a, const void *b, const void *context);
};

struct sort {
	const struct sort_column *columns; /* at least those of `ties` */
	size_t count;
	/* The columns that decide, one after the other, where two rows are equal; NULL ends them.
	 * The first is the default. */
	const char *const *ties;
};

/* Returns whether rows can be sorted by the column. */
bool sort_knows(const struct sort *sort, const char *column);

/* Sorts by the column, or by the default if it is NULL or unknown. */
void sort_rows(const struct sort *sort, const char *column, void *rows, size_t count, size_t size,
	       const void *context);

#endif
