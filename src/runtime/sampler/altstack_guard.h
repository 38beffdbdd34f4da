/* SPDX-License-Identifier: MIT
 *
 * altstack_guard.h - threads that have alternate stacks, or run on segments of -fsplit-stack.
 */
#ifndef DWELL_RUNTIME_SAMPLER_ALTSTACK_GUARD_H
#define DWELL_RUNTIME_SAMPLER_ALTSTACK_GUARD_H

/*
 * Notes that the calling thread is about to change to another segment of its stack, which may be
 * too small for the kernel's signal frame: without an alternate stack it gets no ticks from now on.
 * Takes the lock; not in a signal handler of ours.
 */
void altstack_guard_split(void);

/*
 * Makes threads whose alternate stack is gone survive the ticks of a clock that has started. Not in
 * static programs.
 */
void altstack_guard_ticks_changed(void);

#endif
