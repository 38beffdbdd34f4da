/* SPDX-License-Identifier: MIT
 *
 * tallies.h - finding the tally that a call counts in, and making it when it is the first.
 */
#ifndef DWELL_RUNTIME_CALLS_TALLIES_H
#define DWELL_RUNTIME_CALLS_TALLIES_H

#include "calls.h"

/* The thread's tally of the function, or of the function and the object that return_address is in,
 * with --by-caller. NULL: there is no space for it. */
struct tally *tallies_find(struct calls_thread *thread, const struct function *function,
			   uintptr_t return_address);

/* Makes sure that tallies[0] is there. False: there is no memory. */
bool tallies_reserve(struct calls_thread *thread);

/* Adds a duration to the histogram, `weight` times if sampled; and else the one before it, where
 * the wrapper left that for later. */
void tallies_add_duration(struct calls_thread *thread, struct tally *tally, uint64_t duration,
			  uint64_t weight);

#define RECORDS_GAP_MAX 63

/* Decides which of the next calls is timed. Answers how many calls the one that begins now stands
 * for, which is at most RECORDS_GAP_MAX. */
uint64_t tallies_draw_gap(struct calls_thread *thread, struct tally *tally);

#endif
