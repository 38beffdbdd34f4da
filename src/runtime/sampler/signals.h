/* SPDX-License-Identifier: MIT
 *
 * signals.h - the signals that clocks tick with, and the program's use of the same signals.
 *
 * A signal that a clock has claimed keeps our handler for the rest of the process's life: a tick
 * that is still pending when the clock is turned off must find a handler, or it would kill the
 * program. The program's own action is remembered here, shown to the program as if it were in
 * force, and taken for every such signal that is not a tick.
 */
#ifndef DWELL_RUNTIME_SAMPLER_SIGNALS_H
#define DWELL_RUNTIME_SAMPLER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#include "sys.h"

/* Installs our handler for sig. Returns 0 or -errno; 0 if it is installed already. */
int signals_claim(int sig);

/* Claims a real-time signal that the program does not use. Returns its number, or -EBUSY. */
int signals_claim_private(void);

/*
 * The two halves of the handler, called by arch_handler with all signals blocked. The first runs on
 * a stack of ours, and returns whether it has handled the signal; false: the program has a handler
 * for this signal, or would die of it, which the second does, on the stack that the kernel chose.
 * Only the second is called if no stack of ours is free, and drops ticks then.
 */
bool signals_tick(int sig, siginfo_t *info, void *uc);
void signals_pass_on(int sig, siginfo_t *info, void *uc);

/* Returns how many bytes the kernel needs to deliver a signal; 0: not known. */
size_t signals_frame_bytes(void);

/*
 * Installs the handlers again in the child of a fork, which may have interrupted a claim half-way.
 */
void signals_reclaim(void);

/* Returns whether the program has a handler for sig, or ignores it. */
bool signals_program_handles(int sig);

/* Returns whether our handler is installed for sig. Async-signal-safe. */
bool signals_claimed(int sig);

/*
 * Handles sigaction() of the program on a signal that is ours: sets old to the program's last
 * action, and remembers new (NULL: only read). False: the signal is not ours, nothing was done.
 * Under the sampler's lock.
 */
bool signals_program_action(int sig, const struct sys_sigaction *new, struct sys_sigaction *old);

/*
 * Returns the ticks' signals: they are not blocked in any thread that we can reach. If the program
 * blocks one, it is withheld from the thread's mask instead; when one arrives that is not a tick,
 * the thread is no longer ticked: the signal is blocked after all, and pending. Async-signal-safe.
 */
sys_sigset signals_of_ticks(void);

/*
 * Discards pending ticks of the calling thread, which has no clock any more. All signals are
 * blocked. Async-signal-safe.
 */
void signals_drop_ticks(void);

/* Sends a signal that has arrived once more, to the thread or the process that it was sent to. */
void signals_send_again(int sig, siginfo_t *info);

/* Returns the signals withheld from the calling thread's mask. */
sys_sigset signals_withheld(void);
void signals_withhold(sys_sigset set);

/* The mask of the interrupted code, which holds again when the handler returns. The kernel's is
 * shorter than libc's. Async-signal-safe. */
static inline sys_sigset signals_mask_of(const ucontext_t *uc)
{
	sys_sigset mask;

	__builtin_memcpy(&mask, &uc->uc_sigmask, sizeof(mask));
	return mask;
}

static inline void signals_set_mask_of(ucontext_t *uc, sys_sigset mask)
{
	__builtin_memcpy(&uc->uc_sigmask, &mask, sizeof(mask));
}

#endif
