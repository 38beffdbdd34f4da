/* SPDX-License-Identifier: MIT
 *
 * watchdog.h - notices new threads where their start is not reported: in static programs, and if
 * the library was dlopened. A timer on the CPU clock of the whole process makes the sampler count
 * its threads now and then, and bill the time of threads that came and went in between.
 *
 * Not used where thread_hook.c works, because a timer of this kind makes CLOCK_PROCESS_CPUTIME_ID
 * of the whole process coarse (4 ms at 250 Hz).
 */
#ifndef DWELL_RUNTIME_SAMPLER_WATCHDOG_H
#define DWELL_RUNTIME_SAMPLER_WATCHDOG_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts it, under the lock. If no timer is available, there is no watchdog. */
void watchdog_start(uint64_t tick_ns);
void watchdog_stop(void);

/* Forgets it in the child of a fork: the timer is the parent's. */
void watchdog_forget(void);

/* Returns whether it runs. */
bool watchdog_watches(void);

/* Returns whether the signal is the watchdog's. Async-signal-safe. */
bool watchdog_barked(const siginfo_t *info);

#endif
