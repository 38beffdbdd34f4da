/* SPDX-License-Identifier: MIT
 *
 * lock.h - the one lock of the runtime.
 *
 * All signals are blocked while it is held, so no handler on the same thread can find it taken;
 * another thread sleeps until it is free. A tick only tries. So all functions that it guards are
 * async-signal-safe.
 */
#ifndef DWELL_RUNTIME_SAMPLER_LOCK_H
#define DWELL_RUNTIME_SAMPLER_LOCK_H

#include <stdbool.h>

#include "sys.h"

/* Returns the caller's signal mask, for lock_release(). */
sys_sigset lock_take(void);
void lock_release(sys_sigset mask);

/* Releases it, and lets ticks through from now on, whatever mask the thread had. */
void lock_release_listening(sys_sigset mask);

/* Frees it in the child of a fork: its owner does not exist there. */
void lock_reset(void);

/* Tries to take it in the handler, where signals are blocked already. */
bool lock_try_in_handler(void);
void lock_release_in_handler(void);

#endif
