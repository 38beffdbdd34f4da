/* SPDX-License-Identifier: MIT
 *
 * signal_guard.h - what stands in front of libc's sigaction() and its kin, where that can be.
 */
#ifndef DWELL_RUNTIME_SAMPLER_SIGNAL_GUARD_H
#define DWELL_RUNTIME_SAMPLER_SIGNAL_GUARD_H

#include <signal.h>

#include "sys.h"

typedef void signal_guard_handler(int, siginfo_t *, void *);

/*
 * For these signals, this handler stands in for the default action: the program sees the default
 * where it is installed, and installs it where it asks for the default. All signals are blocked in
 * it. Twice at most; the first to name a signal has it.
 */
void signal_guard_stand_in(signal_guard_handler *handler, int flags, sys_sigset set);

/*
 * From now on, handlers of the program's that run on alternate stacks (SA_ONSTACK) block the
 * signals that ticks come by, which the program does not see. Ticks wait until the handler returns.
 */
void signal_guard_spare_handlers(void);

/* A clock has begun, or another: its signals are among those that spared handlers block. Under the
 * lock. Not in static programs. */
void signal_guard_ticks_changed(void);

#endif
