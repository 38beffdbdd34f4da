/* SPDX-License-Identifier: MIT
 *
 * gmon.h - gprof's runtime: the functions called by programs built with -pg and by their start-up
 * code.
 */
#ifndef DWELL_RUNTIME_GMON_GMON_H
#define DWELL_RUNTIME_GMON_GMON_H

#include <stdbool.h>

/* Starts counting calls and ticks; a second call does nothing. Not in signal handlers. */
void gmon_start(void);

/* Stops counting and writes the files; once. Any context. */
void gmon_finish(void);

#endif
