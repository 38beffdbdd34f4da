/* SPDX-License-Identifier: MIT
 *
 * report.h - what a recording says, as `dwell report` shows it and `dwell calls` at its end.
 */
#ifndef DWELL_CLI_REPORT_H
#define DWELL_CLI_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "model/calls.h"
#include "output/table.h"
#include "record/reader.h"

/* Starts as all zeroes. */
struct report_options {
	enum calls_by by;
	const char *sort; /* NULL: by time */
	enum table_format format;
	bool has_limit;
	size_t limit; /* of rows; 0: all of them */
};

/* What both verbs have: 0 or the exit status, after a sentence on stderr. */
int report_take_sort(struct report_options *options, const char *verb, const char *value);
int report_take_limit(struct report_options *options, const char *verb, const char *value);
int report_take_format(struct report_options *options, const char *verb, const char *value);

int report_write(const struct reader *reader, const struct report_options *options, FILE *out,
		 struct err *err);

/* Names what was chosen by and matched nothing, on stderr. */
void report_note_unmatched(const struct reader *reader, const char *verb);

#endif
