/* SPDX-License-Identifier: MIT
 *
 * state.h - the lock around shared state: the arena, the list of threads, the registry of
 * functions. Never taken in the usual case of a call. All signals are blocked while it is held, so
 * that no handler waits for the code that it interrupts; its owner never waits. SIGBUS is not
 * blocked, since the recording may raise it: faults.h.
 */
#ifndef DWELL_RUNTIME_CALLS_STATE_H
#define DWELL_RUNTIME_CALLS_STATE_H

#include "calls.h"
#include "sys.h"

/* Unblocks SIGBUS if it is handled by us: libc may have blocked all signals, to start a thread. */
static inline sys_sigset state_block_signals(void)
{
	const sys_sigset all = ~SYS_SIGBIT(SIGBUS);
	sys_sigset mask;

	sys_sigprocmask(calls_state.repairs_faults ? SIG_SETMASK : SIG_BLOCK, &all, &mask);
	return mask;
}

static inline void state_restore_signals(sys_sigset mask)
{
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* Returns the caller's signal mask, for state_unlock(). */
static inline sys_sigset state_lock(void)
{
	sys_sigset mask = state_block_signals();

	while (__atomic_exchange_n(&calls_alive[CALLS_LOCK], 1, __ATOMIC_ACQUIRE))
		sys_sched_yield();
	return mask;
}

static inline void state_unlock(sys_sigset mask)
{
	__atomic_store_n(&calls_alive[CALLS_LOCK], 0, __ATOMIC_RELEASE);
	state_restore_signals(mask);
}

#endif
