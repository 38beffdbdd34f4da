/* SPDX-License-Identifier: MIT
 *
 * event_columns.h - tables of samples that count an event, where others have nanoseconds: programs
 * find these under another name.
 */
#ifndef DWELL_OUTPUT_REPORT_EVENT_COLUMNS_H
#define DWELL_OUTPUT_REPORT_EVENT_COLUMNS_H

#include "output/table/table.h"

/* Renames the columns X_ns to X_events. */
void event_columns_rename(struct table *table);

#endif
