/* SPDX-License-Identifier: MIT
 *
 * pg.h - in the place of gprof's runtime, for programs linked with -pg.
 */
#ifndef DWELL_RUNTIME_SAMPLING_PG_H
#define DWELL_RUNTIME_SAMPLING_PG_H

/* From now on, all that functions built with -pg call is libc's: gmon.out is written as without us.
 * Once, by the constructor, if nothing is sampled. */
void pg_leave_to_libc(void);

#endif
