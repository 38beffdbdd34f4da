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
 *
 * Text that is for a terminal fits into its width, has colours and bars: as `terminal` says, which
 * is all zeroes for a file or a pipe. These get whole names, and nothing else.
 */
#ifndef DWELL_OUTPUT_TABLE_TABLE_H
#define DWELL_OUTPUT_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "terminal.h"

enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV };

enum table_column_flags {
	COLUMN_GROUP = 1,  /* text: becomes the heading of rows that share it */
	COLUMN_DATA = 2,   /* for programs: not in text */
	COLUMN_NUMBER = 4, /* cells are JSON numbers; right-aligned in text */
	COLUMN_GIVES = 8,  /* text: cut if the line is wider than the terminal */

	/* For text on a terminal: */
	COLUMN_GIVES_TOO = 16, /* also cut, before others are, down to a common width */
	COLUMN_WRAPS = 32,     /* continues in the next line instead of being cut */
	COLUMN_TREE = 64,      /* two blanks per level in front become lines */
	COLUMN_BAR = 128,      /* has no text: the row's share is drawn */
	COLUMN_STYLED = 256,   /* in the row's style */
	COLUMN_DIM = 512,
	COLUMN_TINTED = 1024, /* in the row's tint, if it has one */

	COLUMN_FUNCTION = 2048, /* text: names of C++ and Rust in their short form */

	/* Dropped in this order, bars before them, where names would become too narrow; else kept.
	 */
	COLUMN_DROPS_1ST = 1 << 12,
	COLUMN_DROPS_2ND = 2 << 12,
	COLUMN_DROPS_3RD = 3 << 12,
	COLUMN_DROPS_4TH = 4 << 12,
	COLUMN_DROPS_5TH = 5 << 12,
	COLUMN_DROPS_6TH = 6 << 12,
	COLUMN_DROPS_LAST = 7 << 12,

	COLUMN_STACK = 1 << 15, /* text: such names, with " < " between them */
};

#define TABLE_COLUMNS_MAX 32

struct table_column {
	const char *name;
	unsigned flags;
};

/* The style of a row on a terminal with colours; plain by default. */
enum table_style { STYLE_PLAIN, STYLE_HOT, STYLE_WARM, STYLE_GOOD };

/* The colour of a name; none by default. */
enum table_tint { TINT_NONE, TINT_GREEN, TINT_YELLOW, TINT_BLUE, TINT_MAGENTA, TINT_CYAN };

struct table_look {
	enum table_style style;
	enum table_tint tint;
	double share; /* 0...1, for bars; the largest in the table is a full bar */
};

enum table_meta_kind { META_TEXT, META_NUMBER, META_LIST };

struct table_meta {
	char *name;
	enum table_meta_kind kind;
	char **values; /* one, except for lists; NULL in it: no value */
	size_t count;
};

/* Rows are printed in the order they were added; those of a group must be neighbours. */
struct table {
	const char *name; /* of the array in JSON */
	struct table_column columns[TABLE_COLUMNS_MAX];
	char *heads[TABLE_COLUMNS_MAX]; /* names made for this table; NULL: none */
	size_t column_count;
	char **cells; /* row by row; NULL: no value */
	size_t cell_count;
	struct table_look *looks; /* one per row */
	size_t look_count;
	struct table_meta *meta;
	size_t meta_count;
	struct terminal terminal;
};

/* Returns false if the format is unknown. */
bool table_format_parse(const char *name, enum table_format *format);

/* Takes a copy of the columns, at most TABLE_COLUMNS_MAX; names must outlive the table. Free with
 * table_fini(). */
void table_init(struct table *table, const char *name, const struct table_column *columns,
		size_t column_count);
void table_fini(struct table *table);

/* Renames a column, if there is one of this name; the new name must outlive the table. */
void table_rename(struct table *table, const char *name, const char *new_name);

/* Adds a word to the name of a column, if there is one of this name. Returns 0 or -ENOMEM. */
int table_rename_with(struct table *table, const char *name, const char *word);

/* Add a row of column_count cells, or a pair to "meta", which is for programs; all are copied.
 * Return 0 or -ENOMEM. */
int table_add(struct table *table, const char *const *cells);
int table_add_looking(struct table *table, const char *const *cells, struct table_look look);
int table_add_meta(struct table *table, const char *name, const char *value);
int table_add_meta_number(struct table *table, const char *name, uint64_t value);
int table_add_meta_digits(struct table *table, const char *name, const char *digits);
int table_add_meta_list(struct table *table, const char *name, const char *const *values,
			size_t count);

/* Returns the style of a row with this share of all time: the larger, the hotter. */
struct table_look table_look_of(double part, double whole);

/* Writes the table. Write errors are checked by the owner of the stream. */
void table_write(const struct table *table, enum table_format format, FILE *out);

/* Writes several tables below each other; in JSON as one object, with the meta of the first. */
void table_write_all(const struct table *const *tables, size_t count, enum table_format format,
		     FILE *out);

#endif
