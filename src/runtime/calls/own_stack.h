/* SPDX-License-Identifier: MIT
 *
 * own_stack.h - where the stack is that the system gave to a thread, as opposed to those that the
 * program made for its coroutines and signal handlers.
 *
 * On one stack, a frame that is lower than the one that runs is gone. Of two stacks nothing can be
 * said: the other one may be waiting to be switched to. Nor is it certain that what runs inside a
 * thread's own stack runs on it: a coroutine may have a variable of somebody's frame for its stack.
 */
#ifndef DWELL_RUNTIME_CALLS_OWN_STACK_H
#define DWELL_RUNTIME_CALLS_OWN_STACK_H

#include "calls.h"

/* What can be said of frames, seen from one that runs. */
struct own_stack_view {
	uintptr_t low, end; /* of the stack that runs; both 0: it is the program's, or not known */
	uintptr_t idle_low,
		idle_end; /* of a stack on which nothing runs now: that of signal handlers */
};

/* Looks where the thread's own stack is, or was if it has ended. Called with the lock held. */
void own_stack_find(struct calls_thread *thread);

/* Seen from the calling thread's frame at sp. */
struct own_stack_view own_stack_view(struct calls_thread *thread, uintptr_t sp);

/* Whether address is on the stack that runs. */
static inline bool own_stack_runs(const struct own_stack_view *view, uintptr_t address)
{
	return address >= view->low && address < view->end;
}

/* Whether the frame at address is gone, seen from one at sp. */
static inline bool own_stack_gone(const struct own_stack_view *view, uintptr_t address,
				  uintptr_t sp)
{
	/* That of handlers may be a part of the one that runs. */
	if (address >= view->idle_low && address < view->idle_end)
		return true;
	return own_stack_runs(view, address) && address <= sp;
}

/* Whether address was on the stack of a thread that has ended. */
static inline bool own_stack_was(const struct calls_thread *thread, uintptr_t address)
{
	return address >= thread->stack_low && address < thread->stack_end;
}

#endif
