/* SPDX-License-Identifier: MIT
 *
 * lock.h - the one lock of the runtime.
 *
 * All signals are blocked while it is held, so no handler on the same thread can find it taken;
 * another thread sleeps until it is free. A tick only tries. So everything that it guards is
 * async-signal-safe.
 */
#ifndef DWELL_RUNTIME_SAMPLER_LOCK_H
#define DWELL_RUNTIME_SAMPLER_LOCK_H

#include <stdbool.h>

#include "sys.h"

/* Answers the caller's signal mask, for lock_release(). */
sys_sigset lock_take(void);
void lock_release(sys_sigset mask);

/* The same, but ticks get through from now on, whatever mask the thread had. */
void lock_release_listening(sys_sigset mask);

/* In the child of a fork: whoever held it is not there. */
void lock_reset(void);

/* In the handler, where signals are blocked already. */
bool lock_try_in_handler(void);
void lock_release_in_handler(void);

#endif
