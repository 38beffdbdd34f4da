/* SPDX-License-Identifier: MIT
 *
 * returns.h - return addresses of calls under way, on CPUs whose calls leave them in a register: a
 * function stores them anywhere in its frame, or not at all. Finds where stopped threads have those
 * that lead to stubs of the runtime, and has the runtime put back the callers'.
 */
#ifndef DWELL_ATTACH_INJECT_RETURNS_H
#define DWELL_ATTACH_INJECT_RETURNS_H

#include "attach/inject/crew.h"
#include "base/injected.h"

/* Calls under way. Starts as all zeroes. */
struct returns {
	struct injected_call *calls;
	size_t count;
	uintptr_t memory; /* in the process: registers of all threads, then the calls */
	size_t bytes;
};

/* Finds the calls, and writes them to the process, by a borrowed thread of the crew. Returns 0, or
 * -errno: -EAGAIN: the stack of a thread cannot be followed now. Free with returns_free(). */
int returns_find(struct returns *returns, struct layout *layout, const struct crew *crew,
		 struct remote *borrowed);

/* Returns the address of the list in the process. */
uintptr_t returns_list(const struct returns *returns, const struct crew *crew);

/* Gives the threads the registers that the runtime has changed. Returns 0 or -errno. */
int returns_apply(const struct returns *returns, struct crew *crew);

/* Unmaps the memory, too. */
void returns_free(struct returns *returns, struct remote *borrowed);

#endif
