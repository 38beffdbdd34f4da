/* SPDX-License-Identifier: MIT
 *
 * signal_guard.h - interposes libc's sigaction() and its kin, where that is possible.
 */
#ifndef DWELL_RUNTIME_SAMPLER_SIGNAL_GUARD_H
#define DWELL_RUNTIME_SAMPLER_SIGNAL_GUARD_H

#include <signal.h>

#include "sys.h"

typedef void signal_guard_handler(int, siginfo_t *, void *);

/*
 * Makes this handler stand in for the default action of these signals: the program sees the default
 * where it is installed, and installs it when it requests the default. All signals are blocked in
 * it. Call at most twice; the first caller to name a signal has it.
 */
void signal_guard_stand_in(signal_guard_handler *handler, int flags, sys_sigset set);

/*
 * Makes handlers of the program that run on alternate stacks (SA_ONSTACK) block the ticks' signals
 * from now on, which is hidden from the program. Ticks wait until the handler returns.
 */
void signal_guard_spare_handlers(void);

/*
 * Makes spared handlers block the signals of a clock that has started, too. Under the lock. Not in
 * static programs.
 */
void signal_guard_ticks_changed(void);

#endif
