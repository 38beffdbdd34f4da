/* SPDX-License-Identifier: MIT
 *
 * calls_callers.h - the callers that timed functions of a process have had, by the place of the
 * stack that they were called from. A caller whose slot was used again is looked for here: a
 * program that calls from the same place again has mostly the same caller there.
 */
#ifndef DWELL_ATTACH_CALLS_CALLERS_H
#define DWELL_ATTACH_CALLS_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#define CALLS_CALLERS_PLACES 1024
#define CALLS_CALLERS_WAYS   4

/* Starts as all zeroes. */
struct calls_callers {
	struct {
		uintptr_t place, caller; /* a stack pointer, and a return address; 0: none */
	} known[CALLS_CALLERS_PLACES][CALLS_CALLERS_WAYS];
};

/* Notes a caller that is certain. It comes first among those of its place from then on. */
void calls_callers_note(struct calls_callers *callers, uintptr_t place, uintptr_t caller);

/* Finds the callers that a place has had, the last one first. Returns their number. */
size_t calls_callers_find(const struct calls_callers *callers, uintptr_t place,
			  uintptr_t found[CALLS_CALLERS_WAYS]);

#endif
