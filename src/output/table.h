/* SPDX-License-Identifier: MIT
 *
 * table.h - a table, as a person or a program wants to read it:
 *
 *	text	columns in line with each other; group columns become headings
 *	json	{"meta":{...},"NAME":[{"COLUMN":...},...]}
 *	csv	a line of column names, and a line a row
 *
 * Cells may hold any bytes. Text shows control characters as \xNN, lest a name play with the
 * terminal; JSON has U+FFFD for each byte that is not UTF-8.
 */
#ifndef DWELL_OUTPUT_TABLE_H
#define DWELL_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV };

enum table_column_flags {
	COLUMN_GROUP = 1,  /* text: goes into the heading of rows that have it in common */
	COLUMN_DATA = 2,   /* for programs: not in text */
	COLUMN_NUMBER = 4, /* its cells are JSON numbers; text has them on the right */
};

#define TABLE_COLUMNS_MAX 32

struct table_column {
	const char *name;
	unsigned flags;
};

struct table_meta {
	char *name;
	char *value;
};

/* Rows are printed in the order they were added; those of a group have to be neighbours. */
struct table {
	const char *name; /* of the array in JSON */
	const struct table_column *columns;
	size_t column_count;
	char **cells; /* row by row; NULL: there is no value */
	size_t cell_count;
	struct table_meta *meta;
	size_t meta_count;
};

/* False: there is no such format. */
bool table_format_parse(const char *name, enum table_format *format);

/* Name and columns, at most TABLE_COLUMNS_MAX, must outlive the table. table_fini() is due. */
void table_init(struct table *table, const char *name, const struct table_column *columns,
		size_t column_count);
void table_fini(struct table *table);

/* Adds a row of column_count cells, or a pair to "meta"; all are copied. 0 or -ENOMEM. */
int table_add(struct table *table, const char *const *cells);
int table_add_meta(struct table *table, const char *name, const char *value);

/* Whether it could be written is for the owner of the stream to ask. */
void table_write(const struct table *table, enum table_format format, FILE *out);

#endif
