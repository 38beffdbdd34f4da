/* SPDX-License-Identifier: MIT
 *
 * gmon_out.h - writes what was counted for gprof: gmon.out of the program, and one file more for
 * each library that ticks fell into or whose calls were counted.
 *
 *	gmon.out	PREFIX.PID		the program
 *	gmon.out.LIB	PREFIX.PID.LIB		a library, as the last part of its path is called
 *
 * PREFIX is GMON_OUT_PREFIX; where it is not set, the child of a fork has "gmon.out".
 */
#ifndef DWELL_RUNTIME_GMON_GMON_OUT_H
#define DWELL_RUNTIME_GMON_GMON_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* What the files are called and say. */
struct gmon_out {
	const char *prefix; /* NULL: none */
	bool is_child;
	uint32_t rate; /* ticks in a second */
};

/* Async-signal-safe; one at a time. False: something could not be written, of which a line on
 * standard error tells. */
bool gmon_out_write(const struct gmon_out *out);

#endif
