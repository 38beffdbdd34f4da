/* SPDX-License-Identifier: MIT
 *
 * report.h - what a recording says, as `dwell report` shows it, and verbs that record at their end:
 * samples if there are any, and calls below them.
 */
#ifndef DWELL_CLI_REPORT_REPORT_H
#define DWELL_CLI_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "display.h"
#include "model/calls/calls.h"
#include "model/profile/profile.h"
#include "model/profile/profile_rows.h"
#include "output/table/table.h"
#include "recording/read/reader.h"

/* How samples are shown. */
enum report_shape { REPORT_FLAT, REPORT_TREE, REPORT_CALLERS };

/* Starts as all zeroes. */
struct report_options {
	enum calls_by by;           /* rows of calls */
	enum profile_by samples_by; /* rows of samples */
	enum report_shape shape;
	bool has_threshold;
	double threshold;              /* 0...1; nodes of a tree with less are left out */
	struct profile_filter *filter; /* of samples; NULL: all of them */
	const char *sort;              /* NULL: by time */
	enum table_format format;
	struct display_options display;
	bool has_limit;
	size_t limit; /* of rows; 0: all of them */
};

/* What verbs have in common: 0 or the exit status, after a sentence on stderr. */
int report_take_sort(struct report_options *options, const char *verb, const char *value);
int report_take_limit(struct report_options *options, const char *verb, const char *value);
int report_take_format(struct report_options *options, const char *verb, const char *value);

/* To stdout, through a pager if that is a terminal; or to stderr. */
int report_write(const struct reader *reader, const struct report_options *options, FILE *out,
		 struct err *err);

/* Whether calls were to be recorded. */
bool report_has_calls(const struct reader *reader);

/* What was recorded, in one line on stderr; data is how the user calls the recording. */
void report_line(const struct reader *reader, const char *verb, const char *data);

/* Says on stderr that there was no room for everything, or for anything at all, if so. */
void report_note_scarce(const struct reader *reader, const char *verb, const char *data);

/* Says on stderr that there are programs that could not open the recording, if so. */
void report_note_sandbox(const struct reader *reader, const char *verb);
void report_note_unreached(const struct reader *reader, const char *verb, const char *data);

/* Says on stderr that there are processes whose clock was refused, if so. */
void report_note_refused(const struct reader *reader, const char *verb);

/* Names what was chosen by and matched nothing, on stderr. */
void report_note_unmatched(const struct reader *reader, const char *verb);

#endif
