/* SPDX-License-Identifier: MIT
 *
 * faults.h - SIGBUS, which an access of ours raises where a file has lost a page that is mapped:
 * the recording was truncated, or its disk is gone. The program's own claim on SIGBUS is
 * remembered, and done for all others, as signals.h does for ticks.
 *
 * The kernel ends a process that has blocked the signal of a fault. So SIGBUS is not blocked while
 * we work, and withheld from the masks that the program sets, where we guard those.
 */
#ifndef DWELL_RUNTIME_SAMPLER_FAULTS_H
#define DWELL_RUNTIME_SAMPLER_FAULTS_H

#include <signal.h>
#include <stdbool.h>

#include "sys.h"

/* Mends what was lost, in the handler, which another fault may interrupt. Returns whether the
 * access can be tried again; false: the fault is the program's. */
typedef bool faults_mend(const siginfo_t *info, const ucontext_t *uc);

/* Installs the handler. 0 or -errno. Once, when the library begins. */
int faults_claim(faults_mend *mend);

/* SIGBUS if it is claimed, or none. Async-signal-safe. */
sys_sigset faults_signal(void);

/* Blocked where no handler of the program may interrupt us. Async-signal-safe. */
sys_sigset faults_to_block(void);

/* sigaction() of the program, as signals_program_action(). */
bool faults_program_action(int sig, const struct sys_sigaction *new, struct sys_sigaction *old);

/*
 * For a handler of ours that has left the alternate stack, where its signal frame is: a fault must
 * not overwrite that. sigreturn undoes it.
 */
void faults_keep_frame(const ucontext_t *uc);

#endif
