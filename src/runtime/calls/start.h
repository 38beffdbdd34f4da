/* SPDX-License-Identifier: MIT
 *
 * start.h - from the first loaded object to the first measured call.
 *
 *	dwell_calls_attach()	by the auditor, or by begin.c, before anything is bound
 *	calls_start()		by the first wrapped call after this library was relocated
 */
#ifndef DWELL_RUNTIME_CALLS_START_H
#define DWELL_RUNTIME_CALLS_START_H

#include "calls.h"

/* calls_alive[0] in a process that has registered itself. */
#define ALIVE 1

/*
 * Makes the process's entry in the recording that room_attach() has opened. Returns 0 or -errno;
 * the path of this library must stay valid.
 */
int start_process(const char *library);

/* Makes every redirector jump to its function, as if there were none. The next process entry starts
 * anew. */
void start_stop(void);

/* Returns the way in for a function's redirector. */
void (*start_way_in(const struct callee *function))(void);

/*
 * Resets the start in the child of fork(): a thread that was about to start does not exist there.
 */
void start_after_fork(void);

/* Stops reading the CPU's counter: see counter_guard.h. */
void start_without_counter(void);

/* Sets the way in of every redirector according to the current state. */
void start_set_ways_in(void);

#endif
