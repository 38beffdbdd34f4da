/* SPDX-License-Identifier: MIT
 *
 * test_clock_timer.c - the weights of signals of the timer clock, and how its timers are set. The
 * test makes up time; the kernel's timers are not used.
 */
#include <stdlib.h>
#include <string.h>

#include "sys.h"

#define TICK INT64_C(1000000)

static struct {
	int64_t now;
	int created, deleted, refuses_create, refuses_set;
	struct sigevent event;
	struct itimerspec when;
} kernel;

static int kernel_timer_create(clockid_t clock, struct sigevent *event, int *timer_id)
{
	(void)clock;
	kernel.event = *event;
	*timer_id = 7;
	kernel.created += !kernel.refuses_create;
	return kernel.refuses_create ? -EAGAIN : 0;
}

static int kernel_timer_settime(int timer_id, const struct itimerspec *when)
{
	(void)timer_id;
	kernel.when = *when;
	return kernel.refuses_set ? -EINVAL : 0;
}

static int kernel_timer_delete(int timer_id)
{
	kernel.deleted += timer_id == 7;
	return 0;
}

static int64_t kernel_clock_ns(clockid_t clock)
{
	return clock == CLOCK_THREAD_CPUTIME_ID ? kernel.now : -EINVAL;
}

#define sys_timer_create  kernel_timer_create
#define sys_timer_settime kernel_timer_settime
#define sys_timer_delete  kernel_timer_delete
#define sys_clock_ns      kernel_clock_ns

#include "runtime/sampler/clock_timer.c"

#include "tap.h"

static int private_signal = 40;

int signals_claim_private(void)
{
	return private_signal;
}

/* ---- weights ---- */

static struct tick tick_of(const struct thread *thread, int overrun)
{
	siginfo_t info = { .si_signo = private_signal, .si_code = SI_TIMER };

	info.si_overrun = overrun;
	info.si_value.sival_ptr = (void *)threads_cookie(thread);
	return clock_timer.tick_of(&info, NULL);
}

static void weights(struct thread *t)
{
	struct tick tick;

	t->in_debt = false;
	t->billed_ns = 5 * TICK;
	tick = tick_of(t, 0);
	ok(tick.weight == 1 && tick.thread == t && t->billed_ns == 6 * TICK, "a signal is a tick");
	ok(tick_of(t, 3).weight == 4 && t->billed_ns == 10 * TICK, "and so is each overrun");
	t->governor.pace = 3;
	ok(tick_of(t, 1).weight == 16 && t->billed_ns == 26 * TICK,
	   "of a thread that ticks every eighth time, each stands for eight");
	t->governor.pace = 0;
}

static void debts(struct thread *t)
{
	t->in_debt = true;
	t->billed_ns = 0;
	kernel.now = 9 * TICK + TICK / 3;
	ok(tick_of(t, 0).weight == 9 && t->billed_ns == 9 * TICK && !t->in_debt,
	   "one that was owing pays by its CPU clock, in whole ticks");
	kernel.now = 100 * TICK;
	ok(tick_of(t, 1).weight == 2 && t->billed_ns == 11 * TICK, "once");
	t->in_debt = true;
	t->billed_ns = kernel.now + 2 * TICK;
	ok(tick_of(t, 5).weight == 0 && t->billed_ns == kernel.now + 2 * TICK,
	   "one that has paid ahead pays nothing");
}

static void strangers(struct thread *t)
{
	siginfo_t info = { .si_signo = private_signal, .si_code = SI_TIMER };
	uintptr_t cookie = threads_cookie(t);

	ok(clock_timer.owns(&info), "a signal of a timer is its own");
	info.si_code = SI_QUEUE;
	ok(!clock_timer.owns(&info), "a signal that was sent is not");
	info.si_signo = private_signal + 1;
	info.si_code = SI_TIMER;
	ok(!clock_timer.owns(&info), "nor is that of another timer");
	threads_remove(t);
	info.si_signo = private_signal;
	info.si_value.sival_ptr = (void *)cookie;
	ok(!clock_timer.tick_of(&info, NULL).thread && clock_timer.tick_of(&info, NULL).weight == 0,
	   "a tick of a thread that has ended is none");
}

/* ---- timers ---- */

static int64_t ns_of(struct timespec time)
{
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void timers(struct thread *t)
{
	ok(clock_timer.arm(t, TICK / 4) == 0 && t->timer_id == 7 &&
		   ns_of(kernel.when.it_value) == TICK / 4 &&
		   ns_of(kernel.when.it_interval) == TICK,
	   "the first tick comes when it was asked for, the others a tick apart");
	ok(kernel.event.sigev_notify == SIGEV_THREAD_ID && kernel.event.sigev_signo == 40 &&
		   kernel.event.sigev_notify_thread_id == t->tid &&
		   kernel.event.sigev_value.sival_ptr == (void *)threads_cookie(t),
	   "to the thread itself, with its cookie");
	t->governor.pace = 2;
	t->in_debt = false;
	clock_timer.pace(t);
	ok(ns_of(kernel.when.it_value) == 4 * TICK && ns_of(kernel.when.it_interval) == 4 * TICK &&
		   t->in_debt,
	   "at another pace they are further apart, and no overrun tells what was before");
	t->governor.pace = 0;
	clock_timer.disarm(t);
	ok(kernel.deleted == 1 && t->timer_id == -1, "it can be taken off");
	memset(&kernel.when, 0, sizeof(kernel.when));
	clock_timer.pace(t);
	clock_timer.disarm(t);
	ok(kernel.deleted == 1 && ns_of(kernel.when.it_value) == 0, "and then nothing is changed");
	kernel.refuses_set = 1;
	ok(clock_timer.arm(t, TICK) == -EINVAL && kernel.deleted == 2 && t->timer_id == -1,
	   "a timer that cannot be set does not stay");
	kernel.refuses_set = 0;
	kernel.refuses_create = 1;
	ok(clock_timer.arm(t, TICK) == -EAGAIN && t->timer_id == -1, "one that is refused is none");
	kernel.refuses_create = 0;
}

static void opening(void)
{
	struct clock_refusal refusal = { 0 };

	ok(clock_timer.open(TICK, &refusal) && kernel.deleted == kernel.created,
	   "it opens where there are timers, and leaves none");
	kernel.refuses_create = 1;
	ok(!clock_timer.open(TICK, &refusal) && refusal.error == EAGAIN && refusal.sentence,
	   "without timers it says so");
	kernel.refuses_create = 0;
	private_signal = -EBUSY;
	ok(!clock_timer.open(TICK, &refusal) && refusal.error == EBUSY && refusal.sentence,
	   "likewise without a signal");
	private_signal = 40;
	clock_timer.open(TICK, &refusal);
	kernel.created = kernel.deleted = 0;
}

int main(void)
{
	struct thread *t;

	if (threads_init())
		bail_out("there is no memory for threads");
	t = threads_add(4711);
	opening();
	timers(t);
	weights(t);
	debts(t);
	strangers(t);
	return tap_done();
}
