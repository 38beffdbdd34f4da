/* SPDX-License-Identifier: MIT
 *
 * clock_timer.h - the parts of the timer clock that the perf clock uses as its source of system
 * time. See clock.h for the meaning of each.
 */
#ifndef DWELL_RUNTIME_SAMPLER_CLOCK_TIMER_H
#define DWELL_RUNTIME_SAMPLER_CLOCK_TIMER_H

#include "clock.h"

bool clock_timer_open(uint64_t tick_ns, struct clock_refusal *refusal);
int clock_timer_arm(struct thread *thread, uint64_t first_ns);
void clock_timer_pace(struct thread *thread);
void clock_timer_disarm(struct thread *thread);

bool clock_timer_owns(const siginfo_t *info);

/* Returns the thread of a signal that the clock owns; NULL: the tick is stale. */
struct thread *clock_timer_thread(const siginfo_t *info);

#endif
