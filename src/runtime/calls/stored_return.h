/* SPDX-License-Identifier: MIT
 *
 * stored_return.h - finds where a function called by a stub keeps its return address, so that it
 * can be made to return directly to its caller, without the stub.
 *
 * On CPUs whose calls push it, it is in the frame that the wrapper knows. If calls leave it in a
 * register, the function stores it somewhere below, if at all, and may sign it: this searches for
 * it.
 */
#ifndef DWELL_RUNTIME_CALLS_STORED_RETURN_H
#define DWELL_RUNTIME_CALLS_STORED_RETURN_H

#include "calls.h"

enum stored_return {
	STORED_NOT_YET,  /* a signal has come just before the wrapper's jump to the stub */
	STORED_REPLACED, /* the function will return to the slot's return address */
	STORED_LOST,     /* its frame is overwritten, so it will not return at all */
	STORED_UNKNOWN,  /* it was not found: the function may return to the stub yet */
};

/* Replaces it for a slot whose frame is on a stack of this thread, which is readable around it. */
enum stored_return stored_return_replace(const struct slot *slot);

/* Replaces it wherever it is between the addresses, which are readable. Returns how often. For CPUs
 * whose calls leave it in a register. */
unsigned stored_return_replace_in(const struct slot *slot, uintptr_t start, uintptr_t end);

#endif
