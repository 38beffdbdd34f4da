/* SPDX-License-Identifier: MIT
 *
 * tallies.h - finds the tally that a call counts in, and makes it for the first one.
 */
#ifndef DWELL_RUNTIME_CALLS_TALLIES_H
#define DWELL_RUNTIME_CALLS_TALLIES_H

#include "calls.h"

/*
 * Returns the thread's tally of the function; with --by-caller, of the function and the call site,
 * or object, that contains the return address *frame; with --tree, of the function and the path of
 * wrapped functions that has led to the call. NULL: there is no space for it.
 */
struct tally *tallies_find(struct calls_thread *thread, const struct callee *function,
			   const uintptr_t *frame);

/* Returns the thread's tally of the same function and caller as that of another thread. */
struct tally *tallies_alike(struct calls_thread *thread, const struct tally *tally);

/* Ensures that tallies[0] exists. False: there is no memory. */
bool tallies_reserve(struct calls_thread *thread);

/*
 * Adds a duration to the histogram, `weight` times if sampled; otherwise adds the one before it,
 * and keeps this one for later, as the wrapper does.
 */
void tallies_add_duration(struct calls_thread *thread, struct tally *tally, uint64_t duration,
			  uint64_t weight);

#define RECORDS_GAP_MAX 63

/*
 * Decides which of the next calls is timed. Returns how many calls the one that starts now stands
 * for, at most RECORDS_GAP_MAX.
 */
uint64_t tallies_draw_gap(struct calls_thread *thread, struct tally *tally);

/* Forgets the thread's tallies, before their recording is unmapped. */
void tallies_forget(struct calls_thread *thread);

#endif
