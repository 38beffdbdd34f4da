/* SPDX-License-Identifier: MIT
 *
 * samples_summary.h - summarises all samples: the time they stand for, how they were taken, and
 * what was lost or has no names.
 */
#ifndef DWELL_OUTPUT_REPORT_SAMPLES_SUMMARY_H
#define DWELL_OUTPUT_REPORT_SAMPLES_SUMMARY_H

#include <stdio.h>

#include "base/err.h"
#include "model/profile/profile.h"
#include "output/table/table.h"
#include "recording/read/reader.h"

/* Writes lines of text for people. */
int samples_summary_write(const struct reader *reader, const struct profile *profile, FILE *out,
			  struct err *err);

/* Adds to a table's "meta" for programs. */
int samples_summary_add_meta(struct table *table, const struct profile *profile, struct err *err);

/* Returns the samples per second of the time that they stand for. */
double samples_summary_rate(const struct profile *profile);

#endif
