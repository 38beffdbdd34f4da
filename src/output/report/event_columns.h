/* SPDX-License-Identifier: MIT
 *
 * event_columns.h - tables of samples or calls that count an event, where others have nanoseconds:
 * programs find these under another name.
 */
#ifndef DWELL_OUTPUT_REPORT_EVENT_COLUMNS_H
#define DWELL_OUTPUT_REPORT_EVENT_COLUMNS_H

#include "base/err.h"
#include "output/table/table.h"

/* Renames the columns X_ns to X_events. */
void event_columns_rename(struct table *table);

/* The same in a table of calls, where heads for people name the event. An error frees the table. */
int event_columns_name(struct table *table, const char *event, bool human, struct err *err);

#endif
