/* SPDX-License-Identifier: MIT
 *
 * slots.h - a thread's stack of slots: takes one, gives one back in any order, and finds those
 * whose frames are gone.
 */
#ifndef DWELL_RUNTIME_CALLS_SLOTS_H
#define DWELL_RUNTIME_CALLS_SLOTS_H

#include "calls.h"

/*
 * Returns the thread's next slot, for a call at sp that will return to return_address; first gives
 * up abandoned ones above it. NULL: there is none. It counts as taken.
 */
struct slot *slots_take(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address);

/*
 * Returns the slot of the call that makes one at sp which will return to return_address: the last
 * one under way, if its frame is higher on the stack, or else the nearest that is. First gives up
 * abandoned ones above it. NULL: there is none.
 */
const struct slot *slots_caller(struct calls_thread *thread, uintptr_t sp,
				uintptr_t return_address);

/* Returns the tally of a call that started in this process and has not been accounted for; NULL:
 * the slot has none. */
struct tally *slots_tally(const struct slot *slot);

/* Returns whether there is such a call. */
bool slots_is_counted(const struct slot *slot);

/*
 * Removes free slots at the top of the chunk, and then free chunks: time handed down by their slots
 * goes to the last slot below.
 */
void slots_settle(struct calls_thread *thread);

/* Ends the slot's call, by return. Slots above it, of the same stack, were abandoned. */
void slots_leave(struct calls_thread *thread, struct slot *slot);

/*
 * Marks that the slot's call was left by an exception that is still in flight: unwinders will read
 * it.
 */
void slots_escape(struct slot *slot);

/*
 * Frees every slot of a thread that has ended, except those of coroutines. Called with the lock
 * held.
 */
void slots_adopt(struct calls_thread *thread);

/* Hands the active calls to the parent, in the child of fork(): the parent counts them. */
void slots_disown(struct calls_thread *thread);

#endif
