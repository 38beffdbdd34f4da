/* SPDX-License-Identifier: MIT
 *
 * undelivered.h - ticks that the kernel cannot deliver, because the program has unmapped the
 * alternate stack that a thread still has. The kernel forces SIGSEGV on such a thread instead.
 */
#ifndef DWELL_RUNTIME_SAMPLER_UNDELIVERED_H
#define DWELL_RUNTIME_SAMPLER_UNDELIVERED_H

#include <signal.h>

/*
 * Stands in for the default action of SIGSEGV, see signal_guard.h. Returns from the first tick that
 * a thread could not get, and that thread gets no more of them as long as it has that stack. Any
 * other SIGSEGV ends the process, with the same siginfo. The handler is on the thread's own stack,
 * with all signals blocked.
 */
void undelivered_on_segv(int sig, siginfo_t *info, void *context);

#endif
