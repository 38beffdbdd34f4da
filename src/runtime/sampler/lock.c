/* SPDX-License-Identifier: MIT */
#include "lock.h"

#include <stdatomic.h>

#include "faults.h"
#include "signals.h"

/* AWAITED: held, and another thread may be sleeping on it. */
enum { FREE, HELD, AWAITED };

static _Atomic uint32_t state;

bool lock_try_in_handler(void)
{
	uint32_t expected = FREE;

	return atomic_compare_exchange_strong_explicit(&state, &expected, HELD,
						       memory_order_acquire, memory_order_relaxed);
}

void lock_release_in_handler(void)
{
	if (atomic_exchange_explicit(&state, FREE, memory_order_release) == AWAITED)
		sys_futex_wake_one((uint32_t *)&state);
}

void lock_reset(void)
{
	atomic_store_explicit(&state, FREE, memory_order_release);
}

/*
 * Sleeps rather than spins: thousands of threads may start at once, and would hardly let the owner
 * of the lock run.
 */
sys_sigset lock_take(void)
{
	const sys_sigset all = faults_to_block();
	sys_sigset mask = 0; /* a sandbox may forbid the call */

	/* Not SIG_BLOCK: libc starts and ends threads with all signals blocked. */
	sys_sigprocmask(SIG_SETMASK, &all, &mask);
	if (!lock_try_in_handler())
		while (atomic_exchange_explicit(&state, AWAITED, memory_order_acquire) != FREE)
			sys_futex_wait((uint32_t *)&state, AWAITED);
	return mask;
}

void lock_release(sys_sigset mask)
{
	lock_release_in_handler();
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
}

void lock_release_listening(sys_sigset mask)
{
	sys_sigset blocked_ticks = mask & (signals_of_ticks() | faults_signal());

	signals_withhold(signals_withheld() | blocked_ticks);
	lock_release(mask & ~blocked_ticks);
}
