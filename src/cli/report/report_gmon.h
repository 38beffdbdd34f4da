/* SPDX-License-Identifier: MIT
 *
 * report_gmon.h - `dwell report gmon.out...`.
 */
#ifndef DWELL_CLI_REPORT_REPORT_GMON_H
#define DWELL_CLI_REPORT_REPORT_GMON_H

#include "report.h"

/* Which program it is of, if nobody says: what compilers call theirs. */
#define REPORT_GMON_PROGRAM "a.out"

/* Of one file, or of several of the same program, added up. A program of NULL is that one. */
int report_gmon_write(char *const *paths, size_t count, const char *program,
		      const struct report_options *options, FILE *out, struct err *err);

#endif
