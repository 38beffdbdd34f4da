/* SPDX-License-Identifier: MIT
 *
 * report_gmon.h - `dwell report gmon.out`.
 */
#ifndef DWELL_CLI_REPORT_GMON_H
#define DWELL_CLI_REPORT_GMON_H

#include "cli/report.h"

/* Which program it is of, if nobody says: what compilers call theirs. */
#define REPORT_GMON_PROGRAM "a.out"

/* A program of NULL is that one. */
int report_gmon_write(const char *path, const char *program, const struct report_options *options,
		      FILE *out, struct err *err);

#endif
