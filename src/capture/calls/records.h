/* SPDX-License-Identifier: MIT
 *
 * records.h - finding the record that a call counts in, and making it when it is the first.
 */
#ifndef DWELL_CAPTURE_RECORDS_H
#define DWELL_CAPTURE_RECORDS_H

#include "capture/calls/calls.h"

/* The thread's record of the function, or of the function and the object that return_address is in,
 * with --by-caller. NULL: there is no space for it. */
struct record *records_find(struct calls_thread *thread, const struct function *function,
			    uintptr_t return_address);

/* Makes sure that records[0] is there. False: there is no memory. */
bool records_reserve(struct calls_thread *thread);

/* Adds a duration to the histogram, and the one before it where the wrapper left it for later. */
void records_add_duration(struct calls_thread *thread, struct record *record, uint64_t duration);

/* Decides which of the next calls is timed; the one that begins now is. */
void records_draw_gap(struct calls_thread *thread, struct record *record);

#endif
