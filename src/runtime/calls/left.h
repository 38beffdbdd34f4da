/* SPDX-License-Identifier: MIT
 *
 * left.h - calls that do not return: finds their slots among a thread's, and gives them up.
 *
 * Examining one slot takes a bounded number of steps, and needs nothing of the slots around it: on
 * a thread with coroutines they may be in any order.
 */
#ifndef DWELL_RUNTIME_CALLS_LEFT_H
#define DWELL_RUNTIME_CALLS_LEFT_H

#include "own_stack.h"

/* The context for examining slots. */
struct look {
	struct own_stack_view view;
	uintptr_t sp; /* of the call that starts or ends */
	uintptr_t return_address;
	bool thorough; /* check other stacks by system calls */
};

/* Returns the context of a call of the calling thread. Takes a system call. */
struct look left_look(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address);

/*
 * Returns whether the slot belongs to an active call on the current stack. Gives the slot up if its
 * frame is gone.
 */
bool left_is_live(const struct look *look, struct slot *slot);

/*
 * Gives up the slot of an earlier call in the place of the one that is about to start, on CPUs
 * whose return addresses are not on the stack: the frame of such a call cannot be seen to be
 * overwritten.
 */
void left_replace(const struct calls_thread *thread, const struct slot *slot, uintptr_t sp,
		  uintptr_t return_address);

/*
 * Returns whether no code can return to the stub of a slot on another stack: its frame is
 * overwritten, or not even mapped. Takes a system call.
 */
bool left_is_overwritten(const struct slot *slot);

/*
 * Returns whether a return to `address` reaches the slot's stub: at once, or by the stubs of
 * functions that it has tail-called.
 */
bool left_leads_to(const struct slot *slot, uintptr_t address);

/* Returns the address of the frame of a slot, or its former address if an exception has left it. */
uintptr_t left_frame_of(const struct slot *slot);

/* Frees the slot, and removes it from its tally. */
void left_forget(struct slot *slot);

/* Frees the slot, and counts the call as abandoned. */
void left_abandon(struct slot *slot);

/* Removes the slot from its tally. */
void left_close_record(struct slot *slot);

#endif
