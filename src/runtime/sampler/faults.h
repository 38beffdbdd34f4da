/* SPDX-License-Identifier: MIT
 *
 * faults.h - SIGBUS, which an access of ours raises if a file has lost a mapped page: the recording
 * was truncated, or its disk is gone. The program's own action for SIGBUS is remembered, and taken
 * for all other faults, as signals.h does for ticks.
 *
 * The kernel ends a process that has blocked the signal of a fault. So SIGBUS is not blocked while
 * we work, and withheld from the masks that the program sets, if those are guarded.
 */
#ifndef DWELL_RUNTIME_SAMPLER_FAULTS_H
#define DWELL_RUNTIME_SAMPLER_FAULTS_H

#include <signal.h>
#include <stdbool.h>

#include "sys.h"

/*
 * Repairs the loss, in the handler, which another fault may interrupt. Returns whether the access
 * can be retried; false: the fault is the program's.
 */
typedef bool faults_mend(const siginfo_t *info, const ucontext_t *uc);

/* Installs the handler. Returns 0 or -errno. Call once, when the library starts. */
int faults_claim(faults_mend *mend);

/* Returns SIGBUS if it is claimed, else the empty set. Async-signal-safe. */
sys_sigset faults_signal(void);

/*
 * Returns the signals to block where no handler of the program may interrupt us. Async-signal-safe.
 */
sys_sigset faults_to_block(void);

/* Handles sigaction() of the program, as signals_program_action() does. */
bool faults_program_action(int sig, const struct sys_sigaction *new, struct sys_sigaction *old);

/*
 * Unblocks SIGBUS in a handler of ours, if the interrupted code has blocked it: it may be the
 * program's own handler of SIGBUS, and a fault of ours would end the program. sigreturn undoes it.
 * Returns what to block again before another handler of the program is called.
 */
sys_sigset faults_listen(const ucontext_t *uc);

/*
 * Protects the signal frame of a handler of ours that has left the alternate stack from being
 * overwritten by a fault. sigreturn undoes it.
 */
void faults_keep_frame(const ucontext_t *uc);

#endif
