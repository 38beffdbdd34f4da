/* SPDX-License-Identifier: MIT
 *
 * sql.h - the statements of sql/, and how they are filled in. The only place that puts foreign text
 * into a statement.
 *
 * A statement runs as it is in its file. A part that a query replaces stands between marks, which
 * are comments, around the default; nodes.sql shows them.
 */
#ifndef DWELL_FLEET_SQL_H
#define DWELL_FLEET_SQL_H

#include <stdio.h>

#include "base/err.h"

extern const char sql_clusters[], sql_calls[], sql_diff[], sql_imbalance[], sql_imbalance_calls[],
	sql_insert_calls[], sql_insert_samples[], sql_insert_stacks[], sql_losses[], sql_nodes[],
	sql_schema[], sql_shards[], sql_single[], sql_stored[], sql_totals[], sql_units[],
	sql_version[];

/* Replaces the text between the marks of a name. */
struct sql_part {
	const char *name;
	const char *text; /* SQL; foreign text only by sql_write_text() */
};

/* Returns the statement with its parts replaced; others keep their defaults. Free with free();
 * NULL: no memory. */
char *sql_fill(const char *statement, const struct sql_part *parts, size_t count);

/* Writes a text, which may contain anything, as one literal. */
void sql_write_text(const char *text, FILE *out);

/* Returns the same as a string; free with free(). NULL: no memory. */
char *sql_text(const char *text);

/* Returns the length of the first statement of several, up to its semicolon at the end of a line.
 */
size_t sql_first(const char *statements);

#endif
