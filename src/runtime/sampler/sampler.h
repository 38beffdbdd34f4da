/* SPDX-License-Identifier: MIT
 *
 * sampler.h - connects clock, threads and sink. One setting per process.
 */
#ifndef DWELL_RUNTIME_SAMPLER_SAMPLER_H
#define DWELL_RUNTIME_SAMPLER_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "lock.h"
#include "sink.h"
#include "sys.h"

struct clock;
struct profil_clock_info;

/* The clock that a caller requests. */
struct sampler_setting {
	uint32_t hz;       /* 1 to LIMIT_HZ; any other is refused */
	const char *clock; /* its name; NULL: the best available */
	/* The clock itself, if it is none of those that have names; NULL: it is one of them. */
	const struct clock *own_clock;
	/* The sentences for an hz or a clock that is refused. They name the place that the user
	 * set. */
	const char *hz_refusal, *clock_refusal;
};

/*
 * Starts and stops, under the lock:
 *
 * sampler_start() directs ticks to sink. Returns 0 or -errno. A clock that runs already keeps its
 * setting; the child of a fork has that of its parent. sampler_stop() returns when no handler uses
 * the sink any more: its memory is the caller's again. sampler_detach() does the same for a sink
 * that another will follow at once: the clock runs on, and time that is owed goes to the new one.
 */
int sampler_start(struct sink *sink, const struct sampler_setting *setting);
void sampler_detach(void);
void sampler_stop(void);
void sampler_info(struct profil_clock_info *info);

/*
 * Bills the time that all threads have used up to now, before the process ends or becomes another
 * program. It may go on all the same: nothing is billed twice. Called without the lock; does
 * nothing in the child of a vfork.
 */
void sampler_settle(void);

/*
 * Gives every thread its steady clock now: in a sandbox, which the process is about to enter, there
 * may be none to be had. Called without the lock; does nothing in the child of a vfork.
 */
void sampler_steady(void);

/* Returns the clock of the last start. Async-signal-safe; there must have been one. */
const char *sampler_clock_name(void);

/*
 * Returns the tick in nanoseconds that a clock uses, or would use if it were started with this
 * setting.
 */
uint64_t sampler_tick_ns(const struct sampler_setting *setting);

/* Ends a clock that only borrowed sig: the program has set a handler for it. */
void sampler_give_back(int sig);

/*
 * Notes that the calling thread is about to get an alternate signal stack of that size (0: none),
 * or has got it, and altstacks_may_be_small() holds of this one or the one before. Called without
 * the lock.
 */
void sampler_altstack(size_t size);

/*
 * Notes that a signal for the calling thread could not be delivered, because its alternate stack
 * cannot be written: the thread is not ticked as long as it has that stack. Returns false if the
 * thread expected no ticks, so that the signal was not one. Called without the lock, and with all
 * signals blocked. Async-signal-safe.
 */
bool sampler_altstack_gone(void);

/*
 * Stops a clock of the whole process, which must not outlive an exec. Called without the lock, on
 * the thread that is about to exec. If the exec fails, it ticks on.
 */
void sampler_before_exec(void);
void sampler_after_failed_exec(void);

/* Returns whether a signal is a tick, perhaps a late one. Async-signal-safe. */
bool sampler_owns(const siginfo_t *info);

/* Handles a signal, in the signal handler. Returns false if it is not a tick, but the program's. */
bool sampler_signal(siginfo_t *info, void *uc);

#endif
