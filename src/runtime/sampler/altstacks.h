/* SPDX-License-Identifier: MIT
 *
 * altstacks.h - threads whose alternate signal stack is too small for a tick.
 *
 * Our handler is delivered on the alternate stack, since threads that have one may run on even
 * smaller stacks: goroutines, segments of -fsplit-stack. It needs room there for the kernel's
 * signal frame and nothing else. If even that does not fit, the kernel would kill the process; so
 * such a thread is not ticked as long as it has that stack. The same holds for a stack that the
 * program has unmapped: see undelivered.h.
 *
 * All functions are called under the lock, unless noted otherwise.
 */
#ifndef DWELL_RUNTIME_SAMPLER_ALTSTACKS_H
#define DWELL_RUNTIME_SAMPLER_ALTSTACKS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Returns whether a stack of that size may be too small. If not, altstacks_note() need not be
 * called. Needs no lock.
 */
bool altstacks_may_be_small(size_t size);

/*
 * Returns whether a tick that interrupts a handler of the program on such a stack may find no room
 * for its signal frame: then handlers on alternate stacks are not ticked, see signal_guard.h. Needs
 * no lock.
 */
bool altstacks_is_tight(size_t size);

/*
 * Returns the stack size available to ticks of the calling thread if it has this alternate stack;
 * 0: it has none, and ticks use its own. Segments of -fsplit-stack are too small for that, so a
 * thread of such code without an alternate stack counts as one with the smallest. Any context.
 */
size_t altstacks_size(const stack_t *stack);

/* The size of a stack that cannot be written. */
#define ALTSTACKS_GONE 1

/* Notes that the thread has an alternate stack of that size; 0: it has none, or has ended. */
void altstacks_note(pid_t tid, size_t size);

/* Notes the alternate stack of the calling thread, as reported by the kernel. */
void altstacks_note_mine(void);

/* Returns whether the thread must not be ticked. Async-signal-safe. */
bool altstacks_forbid(pid_t tid);

/* Forgets the other threads in the child of a fork. */
void altstacks_forget(void);

#endif
