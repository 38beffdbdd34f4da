/* SPDX-License-Identifier: MIT
 *
 * start.h - from the first object that is loaded to the first call that is measured.
 *
 *	dwell_calls_attach()	by the auditor, or by begin.c, before anything is bound
 *	calls_start()		by the first wrapped call after this library was relocated
 */
#ifndef DWELL_RUNTIME_CALLS_START_H
#define DWELL_RUNTIME_CALLS_START_H

#include "calls.h"

/* calls_alive[0] in a process that has taken note of itself. */
#define ALIVE 1

/* Which way a function's redirector goes. */
void (*start_way_in(const struct function *function))(void);

/* In the child of fork(): whoever was about to start is not there. */
void start_after_fork(void);

/* The CPU's counter may be read no more: see counter_guard.h. */
void start_without_counter(void);

/* Every redirector goes the way that is right now. */
void start_set_ways_in(void);

#endif
