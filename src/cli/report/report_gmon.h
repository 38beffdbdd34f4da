/* SPDX-License-Identifier: MIT
 *
 * report_gmon.h - `dwell report gmon.out...`.
 */
#ifndef DWELL_CLI_REPORT_REPORT_GMON_H
#define DWELL_CLI_REPORT_REPORT_GMON_H

#include "report.h"

/* The default program: the name that compilers use. */
#define REPORT_GMON_PROGRAM "a.out"

/* Reports one file, or the sum of several of the same program. program: NULL for the default. */
int report_gmon_write(char *const *paths, size_t count, const char *program,
		      const struct report_options *options, FILE *out, struct err *err);

#endif
