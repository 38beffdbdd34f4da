/* SPDX-License-Identifier: MIT
 *
 * report.h - the contents of a recording as `dwell report` shows them, and as verbs that record do
 * at the end: samples if there are any, and calls below them.
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

/* The layout of samples. */
enum report_shape { REPORT_FLAT, REPORT_TREE, REPORT_CALLERS };

/* All zeroes is the default. */
struct report_options {
	enum calls_by by;           /* rows of calls */
	enum profile_by samples_by; /* rows of samples */
	const char *label;          /* by label: its key; NULL for all others */
	bool by_program;            /* by label, which is the program of a process */
	enum report_shape shape;
	bool has_threshold;
	double threshold;              /* 0...1; smaller nodes of a tree are omitted */
	struct profile_filter *filter; /* of samples; NULL: all */
	const char *sort;              /* NULL: by time */
	enum table_format format;
	struct display_options display;
	bool has_limit;
	size_t limit; /* rows; 0: all */
};

/* Parse options that several verbs share. Return 0, or the exit status after an error message on
 * stderr. */
int report_take_sort(struct report_options *options, const char *verb, const char *value);
int report_take_limit(struct report_options *options, const char *verb, const char *value);
int report_take_format(struct report_options *options, const char *verb, const char *value);

/* Writes to stdout, through a pager if that is a terminal, or to stderr. */
int report_write(const struct reader *reader, const struct report_options *options, FILE *out,
		 struct err *err);

/* Returns whether calls were to be recorded. */
bool report_has_calls(const struct reader *reader);

/* Prints a summary in one line on stderr; data is the recording's name as the user gave it. */
void report_line(const struct reader *reader, const char *verb, const char *data);

/* Prints what to do next, below the tables of a recording that a person looks at. */
void report_next(const struct reader *reader, const char *data);

/* Reports on stderr if there was not room for everything, or for anything at all. */
void report_note_scarce(const struct reader *reader, const char *verb, const char *data);

/* Report on stderr if programs could not open the recording. */
void report_note_sandbox(const struct reader *reader, const char *verb);
void report_note_unreached(const struct reader *reader, const char *verb, const char *data);

/* Reports on stderr if there are processes whose clock was refused. */
void report_note_refused(const struct reader *reader, const char *verb);

/* Reports on stderr which of the specs given to the recording matched nothing. */
void report_note_unmatched(const struct reader *reader, const char *verb);

#endif
