/* SPDX-License-Identifier: MIT
 *
 * regions.h - the regions that threads are in, as the program reports them by <dwell.h>.
 *
 * A region is a number in the thread's own memory, and its name is in a table of the process.
 * Programs begin and end regions in any context, and a tick may come at any time: there is no lock.
 */
#ifndef DWELL_RUNTIME_SAMPLING_REGIONS_H
#define DWELL_RUNTIME_SAMPLING_REGIONS_H

#include "recording/write/stacks.h"
#include "writers.h"

/* Starts to note regions: samples are taken. */
void regions_start(void);

/* Adds the regions of the calling thread to its stack, whose frames are in the memory of the
 * writer, as the outermost frames; and writes the names that the recording does not have yet. In a
 * tick. */
void regions_add(struct writer *writer, struct stack *stack);

/* Returns how many regions had no number, or none of their own. Any context. */
uint64_t regions_lost(void);

/* Forgets losses: they are the parent's. In the child of a fork. */
void regions_after_fork(void);

#endif
