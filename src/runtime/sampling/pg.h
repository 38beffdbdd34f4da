/* SPDX-License-Identifier: MIT
 *
 * pg.h - replaces gprof's runtime, for programs linked with -pg.
 */
#ifndef DWELL_RUNTIME_SAMPLING_PG_H
#define DWELL_RUNTIME_SAMPLING_PG_H

/*
 * Directs all calls of functions built with -pg to libc: gmon.out is written as without us. Call
 * once, by the constructor, if nothing is sampled.
 */
void pg_leave_to_libc(void);

#endif
