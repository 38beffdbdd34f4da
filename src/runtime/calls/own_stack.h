/* SPDX-License-Identifier: MIT
 *
 * own_stack.h - finds the stack that the system gave to a thread, as opposed to stacks that the
 * program made for its coroutines and signal handlers.
 *
 * On one stack, a frame below the running one is gone. Frames of two stacks cannot be compared: the
 * other one may be waiting to be switched to. Code that runs inside a thread's own stack need not
 * run on it: a coroutine may use a variable of a frame as its stack.
 */
#ifndef DWELL_RUNTIME_CALLS_OWN_STACK_H
#define DWELL_RUNTIME_CALLS_OWN_STACK_H

#include "calls.h"

/* The stacks, seen from a running frame. */
struct own_stack_view {
	uintptr_t low, end; /* of the current stack; both 0: it is the program's, or not known */
	uintptr_t idle_low, idle_end; /* of a stack on which nothing runs now: the signal stack */
};

/* Finds the thread's own stack, or its former one if it has ended. Called with the lock held. */
void own_stack_find(struct calls_thread *thread);

/* Returns the view from the calling thread's frame at sp. */
struct own_stack_view own_stack_view(struct calls_thread *thread, uintptr_t sp);

/* Returns whether address is on the current stack. */
static inline bool own_stack_runs(const struct own_stack_view *view, uintptr_t address)
{
	return address >= view->low && address < view->end;
}

/* Returns whether the frame at address is gone, seen from one at sp. */
static inline bool own_stack_gone(const struct own_stack_view *view, uintptr_t address,
				  uintptr_t sp)
{
	/* The signal stack may be a part of the current one. */
	if (address >= view->idle_low && address < view->idle_end)
		return true;
	return own_stack_runs(view, address) && address <= sp;
}

/* Returns whether address was on the stack of a thread that has ended. */
static inline bool own_stack_was(const struct calls_thread *thread, uintptr_t address)
{
	return address >= thread->stack_low && address < thread->stack_end;
}

#endif
