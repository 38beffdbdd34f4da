/* SPDX-License-Identifier: MIT */
#include "lock.h"

#include <stdatomic.h>

#include "signals.h"

static atomic_flag locked = ATOMIC_FLAG_INIT;

bool lock_try_in_handler(void)
{
	return !atomic_flag_test_and_set_explicit(&locked, memory_order_acquire);
}

void lock_release_in_handler(void)
{
	atomic_flag_clear_explicit(&locked, memory_order_release);
}

void lock_reset(void)
{
	atomic_flag_clear_explicit(&locked, memory_order_release);
}

sys_sigset lock_take(void)
{
	const sys_sigset all = ~(sys_sigset)0;
	sys_sigset mask;

	sys_sigprocmask(SIG_BLOCK, &all, &mask);
	while (!lock_try_in_handler())
		sys_sched_yield();
	return mask;
}

void lock_release(sys_sigset mask)
{
	lock_release_in_handler();
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
}

void lock_release_listening(sys_sigset mask)
{
	sys_sigset blocked_ticks = mask & signals_of_ticks();

	signals_withhold(signals_withheld() | blocked_ticks);
	lock_release(mask & ~blocked_ticks);
}
