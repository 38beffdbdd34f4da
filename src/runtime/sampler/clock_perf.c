/* SPDX-License-Identifier: MIT
 *
 * clock_perf.c - perf's task-clock, one event per thread, delivered as SIGTRAP (sigtrap,
 * Linux 5.13).
 *
 * Its timer is a high-resolution one of its own: it keeps the requested rate and has no
 * blind spot in step with the kernel's tick. The signal is raised on the way back to user code, so
 * no system call is cut short, and its pc is the one that entered the kernel.
 *
 * Two modes:
 *
 *   with the kernel   where permitted (perf_event_paranoid < 2 or CAP_PERFMON) and safe. Ticks
 *                     that fall into one long system call arrive as one signal; the thread's
 *                     CPU clock shows how many they were.
 *   user code only    for unprivileged users. Ticks in the kernel raise nothing at all, so
 *                     the timer clock runs beside and bills what perf did not see. It prefers ticks
 *                     that come out of a system call, since there the missing time was spent.
 *
 * The process starts in one mode, and a thread may fall back to user code only: a daemon opens the
 * clock as root, then gives up its rights and starts its threads.
 *
 * The period differs from the tick by a percent or two, different for each thread, so that it
 * drifts through whatever the program repeats instead of locking step with it. Weights come from
 * the CPU clock, so their sum is not affected.
 */
#include "clock.h"

#include <errno.h>
#include <stddef.h>

#include "base/scramble.h"
#include "clock_timer.h"
#include "perf_event.h"
#include "signals.h"
#include "sys.h"
#include "tick_path.h"

/*
 * User code only: how many ticks a timer that interrupted plain code leaves unbilled. perf may be
 * about to bill one of them; the others are system time that waits for a timer signal out of a
 * system call. Any more were not system calls, but page faults.
 */
#define TICKS_LEFT_TO_PERF 4

/*
 * The shortest first period, unless ticks are shorter still. The event interrupts again and again
 * until the thread is back in user code to get its signal. On a virtual machine an interrupt takes
 * longer than the kernel's shortest period, 10 us: a thread would hardly ever get there.
 */
#define FIRST_NS_MIN 100000

static struct {
	uint64_t tick_ns;
	bool user_only; /* the right of the process when the clock was opened */
	void (*prepare)(struct perf_event_attr *attr); /* asks for what is in the ring; or NULL */
	size_t ring_bytes;                             /* 0: there is none */
} perf;

void clock_perf_use_ring(void (*prepare)(struct perf_event_attr *attr), size_t bytes)
{
	perf.prepare = prepare;
	perf.ring_bytes = bytes;
}

/* Returns tick_ns at the thread's pace, plus or minus 1/128 to 1/42. */
static uint64_t perf_period(const struct thread *thread)
{
	uint32_t random = scramble((uint32_t)thread->tid);
	uint64_t period = perf.tick_ns << thread->governor.pace;
	uint64_t off = period * (32 + random % 64) / 4096;

	return random & 0x80000000U ? period + off : period - off;
}

static struct perf_event_attr perf_attr(uint64_t period_ns, bool user_only)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = period_ns };

	perf_event_init(&attr, user_only);
	if (perf.prepare)
		perf.prepare(&attr);
	return attr;
}

/*
 * Opens the event in the mode of the process, or in user code only if the process has lost the
 * right to the kernel since. Returns as perf_event_start().
 */
static int perf_start(struct thread *thread, uint64_t period_ns)
{
	struct perf_event_attr attr = perf_attr(period_ns, perf.user_only);
	int err = perf_event_start(thread, &attr, perf.ring_bytes);

	if (!attr.exclude_kernel && (err == -EACCES || err == -EPERM)) {
		attr.exclude_kernel = 1;
		err = perf_event_start(thread, &attr, perf.ring_bytes);
	}
	if (!err)
		thread->user_only = attr.exclude_kernel;
	return err;
}

static int perf_try(bool user_only)
{
	struct perf_event_attr attr = perf_attr(perf.tick_ns, user_only);

	perf.user_only = user_only;
	return perf_event_try(&attr);
}

static bool clock_perf_open(uint64_t tick_ns, struct clock_refusal *refusal)
{
	int err;

	perf.tick_ns = tick_ns;
	if (!perf_event_check(refusal))
		return false;
	err = perf_event_kernel_is_safe() ? perf_try(false) : -EACCES;
	if (err)
		err = perf_try(true);
	if (err) {
		*refusal = (struct clock_refusal){ -err, "perf_event_open() is refused here" };
		return false;
	}
	if (!clock_timer_open(tick_ns, refusal))
		return false;
	err = signals_claim(SIGTRAP);
	if (err) {
		*refusal = (struct clock_refusal){ -err, "SIGTRAP cannot be handled here" };
		return false;
	}
	return true;
}

static void clock_perf_close(void)
{
}

static void clock_perf_disarm(struct thread *thread)
{
	thread->starter = false; /* a late tick must not restart the event */
	perf_event_stop(thread, perf.ring_bytes);
	clock_timer_disarm(thread);
}

/*
 * Arms a thread. A thread that gets no event, because their number is limited (perf_event_mlock_kb,
 * RLIMIT_NOFILE), has a timer instead.
 */
static int clock_perf_arm(struct thread *thread, uint64_t first_ns)
{
	/* With another first period, the first tick restarts the event with the steady one. */
	bool starter = first_ns != perf.tick_ns;
	uint64_t least_ns = perf.tick_ns < FIRST_NS_MIN ? perf.tick_ns : FIRST_NS_MIN;
	int err;

	if (first_ns < least_ns)
		first_ns = least_ns;
	thread->user_only = perf.user_only;
	err = perf_start(thread, starter ? first_ns : perf_period(thread));
	thread->starter = starter && err == 0;
	if (err || thread->user_only)
		err = clock_timer_arm(thread, first_ns);
	if (err)
		clock_perf_disarm(thread);
	return err;
}

/* Arms the timer of a thread whose event does not see all of its time, or that has none. */
static void perf_need_timer(struct thread *thread)
{
	if ((!thread->perf_page || thread->user_only) && thread->timer_id < 0)
		clock_timer_arm(thread, perf.tick_ns << thread->governor.pace);
}

/*
 * Restarts the event in the handler, with the steady period at the thread's pace. There is no
 * descriptor to change the old one by. If its memory was reused meanwhile, the thread has a timer.
 */
static void perf_event_renew(struct thread *thread)
{
	if (perf_start(thread, perf_period(thread)) == 0) {
		perf_need_timer(thread);
		return;
	}
	/* In a sandbox no new event can be had: it goes on with the period that it has. */
	if (sys_filter)
		return;
	perf_event_stop(thread, perf.ring_bytes);
	perf_start(thread, perf_period(thread));
	perf_need_timer(thread);
}

static void clock_perf_pace(struct thread *thread)
{
	clock_timer_pace(thread);
	if (thread->perf_page && !thread->starter)
		perf_event_renew(thread);
}

TICK_PATH static bool clock_perf_owns(const siginfo_t *info)
{
	return perf_event_owns(info) || clock_timer_owns(info);
}

/*
 * Returns the ticks that a signal stands for where a sandbox forbids reading the CPU clock: one per
 * period, which is the steady one (see sampler_steady()). Time in user code is the event's. Beside
 * one that sees nothing else, a tick of the timer that interrupted user code counts for nothing;
 * those that came out of system calls are as many as the time there is long.
 */
static uint64_t perf_periods(const struct thread *thread, const siginfo_t *info,
			     const ucontext_t *uc, bool by_perf)
{
	uint64_t periods = by_perf ? 1 : 1 + (uint64_t)info->si_overrun;

	if (!by_perf && thread->perf_page && !arch_in_syscall(uc))
		return 0;
	return periods << thread->governor.pace;
}

TICK_PATH static struct tick clock_perf_tick_of(const siginfo_t *info, const ucontext_t *uc)
{
	bool by_perf = perf_event_owns(info);
	struct thread *thread = by_perf ? perf_event_thread(info) : clock_timer_thread(info);
	struct tick tick = { .thread = thread, .is_coarse = !by_perf };
	int64_t now;

	if (!thread)
		return tick;
	now = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (now < 0) {
		tick.weight = perf_periods(thread, info, uc, by_perf);
		thread->billed_ns += (int64_t)(tick.weight * perf.tick_ns);
	} else if (!thread->user_only) {
		tick.weight = clock_bill(&thread->billed_ns, now, perf.tick_ns);
	} else if (by_perf) {
		/*
		 * This one tick, at the thread's pace, was in user code. Other time owed was not,
		 * and waits for the timer; if the timer has billed too much before, it will bill
		 * less next time.
		 */
		tick.weight = (uint64_t)(now >= thread->billed_ns) << thread->governor.pace;
		thread->billed_ns += (int64_t)(tick.weight * perf.tick_ns);
	} else {
		/*
		 * Out of a system call: bill all whole ticks. The fraction is left to perf's next.
		 */
		bool perf_sees_none = !thread->perf_page || arch_in_syscall(uc);
		uint64_t left = perf_sees_none ? perf.tick_ns / 2
					       : TICKS_LEFT_TO_PERF * perf.tick_ns
							 << thread->governor.pace;

		tick.weight = clock_bill(&thread->billed_ns, now - (int64_t)left, perf.tick_ns);
	}
	if (by_perf && thread->starter) {
		thread->starter = false;
		perf_event_renew(thread);
	}
	return tick;
}

static const char *clock_perf_system_time(void)
{
	return perf.user_only ? "timer" : "perf";
}

const struct clock clock_perf = {
	.name = "perf",
	.open = clock_perf_open,
	.close = clock_perf_close,
	.arm = clock_perf_arm,
	.disarm = clock_perf_disarm,
	.pace = clock_perf_pace,
	.owns = clock_perf_owns,
	.tick_of = clock_perf_tick_of,
	.system_time = clock_perf_system_time,
};
