/* SPDX-License-Identifier: MIT
 *
 * gmon.h - gprof's runtime: the calls that programs built with -pg, and their start-up code, make.
 */
#ifndef DWELL_RUNTIME_GMON_GMON_H
#define DWELL_RUNTIME_GMON_GMON_H

#include <stdbool.h>

/* Begins to count calls and ticks; again: nothing. Not in signal handlers. */
void gmon_start(void);

/* Ends that and writes the files; once. Any context. */
void gmon_finish(void);

#endif
