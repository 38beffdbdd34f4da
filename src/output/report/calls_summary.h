/* SPDX-License-Identifier: MIT
 *
 * calls_summary.h - summarises a recording as a whole: what ran, its overhead, and everything that
 * was lost.
 */
#ifndef DWELL_OUTPUT_REPORT_CALLS_SUMMARY_H
#define DWELL_OUTPUT_REPORT_CALLS_SUMMARY_H

#include <stdio.h>

#include "base/err.h"
#include "model/calls/calls.h"
#include "output/table/table.h"
#include "recording/read/reader.h"

/* Write lines of text for people. The second writes only the part about calls. */
void calls_summary_write(const struct reader *reader, const struct calls *calls, FILE *out);
void calls_summary_write_calls(const struct reader *reader, const struct calls *calls, FILE *out);

/* Adds the table's "meta" for programs. */
int calls_summary_add_meta(struct table *table, const struct reader *reader,
			   const struct calls *calls, struct err *err);

#endif
