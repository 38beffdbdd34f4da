/* SPDX-License-Identifier: MIT
 *
 * clock_itimer.c - ITIMER_PROF and SIGPROF, the last resort.
 *
 * There is one such timer per process, the kernel chooses the thread it interrupts, and it fires at
 * most as often as the kernel's own tick. So time is split badly among threads; but the process's
 * CPU clock still makes the sum right. The timer belongs to the program: if the program uses it,
 * this clock refuses, and if the program sets a handler for SIGPROF later, this clock ends.
 */
#include "base/atomic64.h"
#include "clock.h"

#include <errno.h>
#include <stddef.h>

#include "runtime/guard/exec_guard.h"
#include "signals.h"
#include "sys.h"

static struct {
	uint64_t tick_ns;
	/* (handler) part of the process's CPU time; written by any thread's handler: atomic */
	_Alignas(8) uint64_t billed_ns;
} itimer;

static bool clock_itimer_open(uint64_t tick_ns, struct clock_refusal *refusal)
{
	struct itimerval now = { 0 };
	struct itimerval when;
	uint64_t us = tick_ns / 1000;
	int err;

	if (!exec_guard_works()) {
		*refusal = (struct clock_refusal){
			EPERM, "ITIMER_PROF would outlive exec and kill the new program"
		};
		return false;
	}
	sys_getitimer(ITIMER_PROF, &now);
	if (now.it_value.tv_sec || now.it_value.tv_usec || signals_program_handles(SIGPROF)) {
		*refusal =
			(struct clock_refusal){ EBUSY,
						"the program uses ITIMER_PROF or SIGPROF itself" };
		return false;
	}
	err = signals_claim(SIGPROF);
	if (err == 0) {
		itimer.tick_ns = tick_ns;
		itimer.billed_ns = (uint64_t)sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		when.it_value.tv_sec = (time_t)(us / 1000000);
		when.it_value.tv_usec = (suseconds_t)(us % 1000000);
		when.it_interval = when.it_value;
		err = sys_setitimer(ITIMER_PROF, &when);
	}
	if (err)
		*refusal = (struct clock_refusal){ -err, "setitimer(ITIMER_PROF) is refused here" };
	return err == 0;
}

static void clock_itimer_close(void)
{
	const struct itimerval never = { 0 };

	sys_setitimer(ITIMER_PROF, &never);
}

static bool clock_itimer_owns(const siginfo_t *info)
{
	return info->si_signo == SIGPROF && info->si_code == SI_KERNEL &&
	       !signals_program_handles(SIGPROF);
}

static struct tick clock_itimer_tick_of(const siginfo_t *info, const ucontext_t *uc)
{
	int64_t now = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	int64_t billed, after;
	struct tick tick = { .is_coarse = true };

	(void)info;
	(void)uc;
	do {
		/* A torn read mixes two values; the comparison detects it. */
		billed = after = (int64_t) * (volatile uint64_t *)&itimer.billed_ns;
		/*
		 * Its signals are never early, so this rounds down: otherwise two ticks would be
		 * billed at once when one is half a tick late, and none the next time.
		 */
		tick.weight =
			clock_bill(&after, now - (int64_t)(itimer.tick_ns / 2), itimer.tick_ns);
	} while (!atomic64_change(&itimer.billed_ns, (uint64_t)billed, (uint64_t)after));
	return tick;
}

/*
 * Returns the CPU time of the process. While the timer runs, that clock moves with the kernel's
 * tick, unless it is updated first.
 */
static int64_t process_cpu_ns(void)
{
	sys_update_cpu_clock();
	return sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static int64_t clock_itimer_settle(void)
{
	int64_t now = process_cpu_ns(), owed = now - (int64_t)atomic64_get(&itimer.billed_ns);

	atomic64_set(&itimer.billed_ns, (uint64_t)now);
	return owed;
}

static void clock_itimer_owe(int64_t ns)
{
	atomic64_add(&itimer.billed_ns, -(uint64_t)ns);
}

static const char *clock_itimer_system_time(void)
{
	return "itimer";
}

const struct clock clock_itimer = {
	.name = "itimer",
	.borrowed_signal = SIGPROF,
	.open = clock_itimer_open,
	.close = clock_itimer_close,
	.owns = clock_itimer_owns,
	.tick_of = clock_itimer_tick_of,
	.settle = clock_itimer_settle,
	.owe = clock_itimer_owe,
	.system_time = clock_itimer_system_time,
};
