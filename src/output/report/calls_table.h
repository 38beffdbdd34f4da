/* SPDX-License-Identifier: MIT
 *
 * calls_table.h - the functions of a recording of calls, as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_CALLS_TABLE_H
#define DWELL_OUTPUT_REPORT_CALLS_TABLE_H

#include "base/err.h"
#include "model/calls/calls.h"
#include "output/table/columns.h"

/* Makes a table of the first so many rows, for people or for programs. On success, free with
 * table_fini(). */
int calls_table_make(struct table *table, const struct calls *calls, size_t rows, bool human,
		     struct err *err);

/* Prints the command of a process into a cell; NULL: no process, no value. */
const char *calls_table_command(struct cell *cell, const struct record_process *process);

/* Joins the arguments of a command, each ending with '\0', with blanks. Needs as much room, and at
 * least one byte. */
void calls_table_join(char *text, const char *arguments, size_t size);

#endif
