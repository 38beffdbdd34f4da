/* SPDX-License-Identifier: MIT
 *
 * sampler.h - brings clock, threads and sink together. One setting a process.
 */
#ifndef DWELL_CAPTURE_SAMPLER_H
#define DWELL_CAPTURE_SAMPLER_H

#include <signal.h>
#include <stdbool.h>

#include "sink.h"
#include "sys.h"

struct profil_clock_info;

/*
 * The one lock of the runtime. All signals are blocked while it is held, so no handler on the same
 * thread can find it taken; another thread spins, yielding the CPU. Never taken in a handler of
 * ours (that only tries). So what it guards is async-signal-safe.
 */
sys_sigset sampler_lock(void);
void sampler_unlock(sys_sigset mask);

/* The same where a start went well: ticks get through, whatever mask the thread had. */
void sampler_unlock_listening(sys_sigset mask);

/*
 * The following are called under the lock.
 *
 * sampler_start() turns ticks to sink. 0 or -errno. sampler_stop() returns when no handler is using
 * the sink any more: its memory is the caller's again. A sink that is in use must be stopped before
 * it is changed; the clock runs on, so that starting another one at once costs nothing.
 */
int sampler_start(struct sink *sink);
void sampler_detach(void);
void sampler_stop(void);
void sampler_info(struct profil_clock_info *info);

/* The tick that a start would use, or is using, in nanoseconds. */
uint64_t sampler_tick_ns(void);

/* The program has set a handler for sig: a clock that only borrowed it ends. Under the lock. */
void sampler_give_back(int sig);

/* A thread has begun or is about to end; called on it, without the lock. */
void sampler_thread_born(void);
void sampler_thread_gone(void);

/*
 * The calling thread is about to exec: no tick of its clock may be under way then. If the exec
 * fails, it ticks on. Without the lock; both leave errno alone and may run in the child of a vfork.
 */
void sampler_pause_thread(void);
void sampler_resume_thread(void);

/*
 * The calling thread wants the signals that ticks come by for itself, and is not ticked until it
 * unblocks them. Without the lock; the first also in the handler, the second after each change of a
 * mask: it costs nothing as long as no thread is mute.
 */
void sampler_mute_thread(void);
void sampler_unmute_thread(void);

/* Whether a signal is a tick, perhaps a late one. Async-signal-safe. */
bool sampler_owns(const siginfo_t *info);

/* Called by the signal handler. False: the signal is no tick, it is the program's. */
bool sampler_signal(siginfo_t *info, void *uc);

#endif
