/* SPDX-License-Identifier: MIT
 *
 * calls_summary.h - what is to be said of a recording as a whole: what ran, what it cost, and all
 * that was lost.
 */
#ifndef DWELL_OUTPUT_REPORT_CALLS_SUMMARY_H
#define DWELL_OUTPUT_REPORT_CALLS_SUMMARY_H

#include <stdio.h>

#include "base/err.h"
#include "model/calls/calls.h"
#include "output/table/table.h"
#include "recording/read/reader.h"

/* For people: lines of text. The second is the part of it that is about calls. */
void calls_summary_write(const struct reader *reader, const struct calls *calls, FILE *out);
void calls_summary_write_calls(const struct reader *reader, const struct calls *calls, FILE *out);

/* For programs: the table's "meta". */
int calls_summary_add_meta(struct table *table, const struct reader *reader,
			   const struct calls *calls, struct err *err);

#endif
