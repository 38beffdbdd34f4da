/* SPDX-License-Identifier: MIT
 *
 * gmon_out.h - writes the counts for gprof: gmon.out for the program, and another file for each
 * library with ticks or counted calls.
 *
 *	gmon.out	PREFIX.PID		the program
 *	gmon.out.LIB	PREFIX.PID.LIB		a library, by the last part of its path
 *
 * PREFIX is GMON_OUT_PREFIX; if it is not set, the child of a fork uses "gmon.out".
 */
#ifndef DWELL_RUNTIME_GMON_GMON_OUT_H
#define DWELL_RUNTIME_GMON_GMON_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* The contents and names of the files. */
struct gmon_out {
	const char *prefix; /* NULL: none */
	bool is_child;
	uint32_t rate; /* ticks per second */
};

/*
 * Writes the files. Async-signal-safe; not concurrently. False: writing failed, and a line on
 * standard error says so.
 */
bool gmon_out_write(const struct gmon_out *out);

#endif
