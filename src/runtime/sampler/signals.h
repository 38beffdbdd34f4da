/* SPDX-License-Identifier: MIT
 *
 * signals.h - the signals that clocks tick with, and the program's claim on the same signals.
 *
 * A signal that a clock has claimed keeps our handler for the rest of the process's life: a tick
 * that is still on its way when the clock is turned off must find a handler, or it would kill the
 * program. What the program itself wants done with the signal is remembered here, shown to the
 * program as if it were in force, and done for every such signal that is not a tick.
 */
#ifndef DWELL_RUNTIME_SAMPLER_SIGNALS_H
#define DWELL_RUNTIME_SAMPLER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

/* Installs our handler for sig. 0 or -errno. Again for one that is ours: 0. */
int signals_claim(int sig);

/* The same for a real-time signal that the program has no use for; its number, or -EBUSY. */
int signals_claim_private(void);

/*
 * Of the handler, called by arch_handler with all signals blocked. The first runs on a stack of
 * ours, and returns whether all is done; false: the program has a handler for this signal, or would
 * die of it, which is done by the second, on the stack that the kernel chose. It is called alone if
 * no stack of ours is free, and drops ticks then.
 */
bool signals_tick(int sig, siginfo_t *info, void *uc);
void signals_pass_on(int sig, siginfo_t *info, void *uc);

/* How many bytes the kernel needs to deliver a signal; 0: not known. */
size_t signals_frame_bytes(void);

/* In the child of a fork, which may have interrupted a claim half-way. */
void signals_reclaim(void);

/* Whether the program has a handler for sig, or ignores it. */
bool signals_program_handles(int sig);

/* Whether our handler is installed for sig. Async-signal-safe. */
bool signals_claimed(int sig);

/*
 * sigaction() of the program on a signal that is ours: old gets what the program set last, new
 * (NULL: only ask) is remembered. False: the signal is not ours, nothing was done. Under the
 * sampler's lock.
 */
bool signals_program_action(int sig, const struct sys_sigaction *new, struct sys_sigaction *old);

/*
 * The signals that ticks come by: they are not blocked in any thread that we can reach. A signal of
 * these that the program wants blocked is withheld from the thread's mask instead, and if one
 * arrives that is no tick, the thread gives up being ticked: the signal is blocked after all, and
 * pending. Async-signal-safe.
 */
sys_sigset signals_of_ticks(void);

/* Takes away ticks that are pending for the calling thread, which has no clock any more. All
 * signals are blocked. Async-signal-safe. */
void signals_drop_ticks(void);

/* What is withheld from the calling thread's mask. */
sys_sigset signals_withheld(void);
void signals_withhold(sys_sigset set);

#endif
