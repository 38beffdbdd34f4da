/* SPDX-License-Identifier: MIT
 *
 * clock_timer.c - a POSIX timer on each thread's own CPU clock.
 *
 * Needs no permission at all and splits time correctly among threads. The kernel checks CPU timers
 * only in its own periodic tick (CONFIG_HZ, 250 Hz on Debian), so several of our ticks may arrive
 * as one signal: si_overrun holds how many more, and they count. One flaw remains: code that runs
 * in step with the kernel's tick is sampled too rarely or too often; the perf clock has no such
 * blind spot.
 *
 * The kernel sends the signal on its way back to user code (since 5.10), so a system call in
 * progress is never cut short.
 */
#include "clock_timer.h"

#include <errno.h>

#include "signals.h"
#include "sys.h"
#include "tick_path.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct {
	uint64_t tick_ns;
	int signal;
} timer;

bool clock_timer_open(uint64_t tick_ns, struct clock_refusal *refusal)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	int timer_id, err;

	timer.tick_ns = tick_ns;
	timer.signal = signals_claim_private();
	if (timer.signal < 0) {
		*refusal = (struct clock_refusal){
			-timer.signal,
			"the program uses every real-time signal, none is left to tick with"
		};
		return false;
	}
	err = sys_timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_id);
	if (err) {
		*refusal =
			(struct clock_refusal){ -err,
						"timer_create() on a CPU clock is refused here" };
		return false;
	}
	sys_timer_delete(timer_id);
	return true;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

/* Sets the timer, at the thread's pace. Returns 0 or -errno. */
static int timer_set(const struct thread *thread, int timer_id, uint64_t first_ns)
{
	struct itimerspec when = {
		.it_value = timespec_of(first_ns),
		.it_interval = timespec_of(timer.tick_ns << thread->governor.pace),
	};

	return sys_timer_settime(timer_id, &when);
}

int clock_timer_arm(struct thread *thread, uint64_t first_ns)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = timer.signal,
		.sigev_value.sival_ptr = (void *)threads_cookie(thread),
		.sigev_notify_thread_id = thread->tid,
	};
	int timer_id;
	int err = sys_timer_create(sys_thread_cpu_clock(thread->tid), &event, &timer_id);

	if (err)
		return err;
	err = timer_set(thread, timer_id, first_ns);
	if (err) {
		sys_timer_delete(timer_id);
		return err;
	}
	thread->timer_id = timer_id;
	return 0;
}

void clock_timer_pace(struct thread *thread)
{
	if (thread->timer_id < 0)
		return;
	thread->in_debt = true; /* no overrun will contain the time since its last tick */
	timer_set(thread, thread->timer_id, timer.tick_ns << thread->governor.pace);
}

void clock_timer_disarm(struct thread *thread)
{
	if (thread->timer_id >= 0)
		sys_timer_delete(thread->timer_id);
	thread->timer_id = -1;
}

TICK_PATH bool clock_timer_owns(const siginfo_t *info)
{
	return info->si_signo == timer.signal && info->si_code == SI_TIMER;
}

TICK_PATH struct thread *clock_timer_thread(const siginfo_t *info)
{
	return threads_by_cookie((uintptr_t)info->si_value.sival_ptr);
}

static void clock_timer_close(void)
{
}

TICK_PATH static struct tick clock_timer_tick_of(const siginfo_t *info, const ucontext_t *uc)
{
	struct thread *thread = clock_timer_thread(info);
	struct tick tick = { .thread = thread, .is_coarse = true };
	int64_t now;

	(void)uc;
	if (!thread)
		return tick;
	/*
	 * The overruns are exact and cost nothing to read. Only a thread that owed ticks before its
	 * timer was armed, or set to another pace, has to read its clock, once.
	 */
	now = thread->in_debt ? sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) : -1;
	thread->in_debt = false;
	if (now >= 0) {
		tick.weight = clock_bill(&thread->billed_ns, now, timer.tick_ns);
	} else {
		tick.weight = (1 + (uint64_t)info->si_overrun) << thread->governor.pace;
		thread->billed_ns += (int64_t)(tick.weight * timer.tick_ns);
	}
	return tick;
}

static const char *clock_timer_system_time(void)
{
	return "timer";
}

const struct clock clock_timer = {
	.name = "timer",
	.open = clock_timer_open,
	.close = clock_timer_close,
	.arm = clock_timer_arm,
	.disarm = clock_timer_disarm,
	.pace = clock_timer_pace,
	.owns = clock_timer_owns,
	.tick_of = clock_timer_tick_of,
	.system_time = clock_timer_system_time,
};
