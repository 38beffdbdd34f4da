/* SPDX-License-Identifier: MIT
 *
 * slots.h - a thread's stack of slots: taking one, giving one back in any order, and finding those
 * whose frames are gone.
 */
#ifndef DWELL_RUNTIME_CALLS_SLOTS_H
#define DWELL_RUNTIME_CALLS_SLOTS_H

#include "calls.h"

/* The thread's next slot, for a call at sp that will return to return_address; first takes down
 * those above it that were left. NULL: there is none. It counts as taken. */
struct slot *slots_take(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address);

/* Whether the call began in this process, and has not been accounted for. */
bool slots_is_counted(const struct slot *slot);

/* Takes down what is free at the top of the chunk, and then chunks that are free: what their slots
 * have handed down becomes that of the last slot below. */
void slots_settle(struct calls_thread *thread);

/* The slot's call is over, by return. Slots above it, of the same stack, were left. */
void slots_leave(struct calls_thread *thread, struct slot *slot);

/* The slot's call was left by an exception that is still on its way: unwinders will read it. */
void slots_escape(struct slot *slot);

/* The same, and the function returns to its caller without its stub, for an unwinder that we cannot
 * tell what to do at a stub: the innermost call of the thread above sp. */
void slots_step_aside(struct calls_thread *thread, uintptr_t sp);

/* What the thread has under way above sp, on the stack that runs, returns to its callers without
 * its stubs, and is counted without times. */
void slots_untime(struct calls_thread *thread, uintptr_t sp);

/* Every slot of a thread that has ended is free, but for those of coroutines. Called with the lock
 * held. */
void slots_adopt(struct calls_thread *thread);

/* In the child of fork(): what was under way is the parent's to count. */
void slots_disown(struct calls_thread *thread);

#endif
