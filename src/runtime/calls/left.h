/* SPDX-License-Identifier: MIT
 *
 * left.h - calls that do not return: which of a thread's slots are theirs, and giving those up.
 *
 * Looking at one slot takes a bounded number of steps, and needs nothing of the slots around it: on
 * a thread with coroutines they may be in any order.
 */
#ifndef DWELL_RUNTIME_CALLS_LEFT_H
#define DWELL_RUNTIME_CALLS_LEFT_H

#include "own_stack.h"

/* What is known when slots are looked at. */
struct look {
	struct own_stack_view view;
	uintptr_t sp; /* of the call that begins or ends */
	uintptr_t return_address;
	bool thorough; /* ask the kernel what is on other stacks */
};

/* Seen from a call of the calling thread. Takes a system call. */
struct look left_look(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address);

/* Returns whether the slot is of a call under way on the stack that runs. Gives the slot up if its
 * frame is gone. */
bool left_is_live(const struct look *look, struct slot *slot);

/* Gives up the slot of an earlier call in the place of the one that is about to begin, where
 * return addresses are not on the stack: the frame of such a call cannot be seen to be overwritten.
 */
void left_replace(const struct calls_thread *thread, const struct slot *slot, uintptr_t sp,
		  uintptr_t return_address);

/* Returns whether nothing can return to the stub of a slot on another stack: its frame is
 * overwritten, or not even mapped. Takes a system call. */
bool left_is_overwritten(const struct slot *slot);

/* Returns whether a return to `address` gets to the slot's stub: at once, or by those of functions
 * that it has ended in jumping to. */
bool left_leads_to(const struct slot *slot, uintptr_t address);

/* Returns where the frame of a slot is, or was if an exception has left it. */
uintptr_t left_frame_of(const struct slot *slot);

/* The slot is free, and its tally knows of it no longer. */
void left_forget(struct slot *slot);

/* The same, and the call counts as abandoned. */
void left_abandon(struct slot *slot);

/* The slot's tally knows of it no longer. */
void left_close_record(struct slot *slot);

#endif
