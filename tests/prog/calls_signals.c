/* SPDX-License-Identifier: MIT
 *
 * calls_signals.c - a signal every 50 us that may arrive at any instruction of a call, whose
 * handler calls functions of the same library and may ask for a backtrace. The calls of the program
 * and of its handler are counted exactly.
 */
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAS_BACKTRACE true
#else
#define HAS_BACKTRACE false
#endif
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "calls_frames.h"
#include "calls_lib.h"
#include "calls_target.h"
#include "context.h"
#include "oddities.h"

#define PERIOD_US      50
#define ENOUGH_HANDLED 2000
#define ENOUGH_CALLS   250000
#define DEPTH_MAX      200 /* of handlers, which a slow machine could nest until the stack ends */

#if !HAS_BACKTRACE
static int backtrace(void **frames, int room)
{
	(void)frames;
	(void)room;
	return 0;
}
#endif

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static atomic_long handled, wrong_results, cut_short;
static bool unwinds;
static _Thread_local bool interrupted_oddity; /* where backtrace() ends without dwell as well */
static _Thread_local int depth_now;
static uintptr_t bottom; /* the function that every backtrace must reach */

static NOINLINE long in_handler(long x)
{
	if (unwinds) {
		void *frames[64];
		int depth = backtrace(frames, 64), i = 0;

		while (i < depth && !frame_is_of(frames[i], bottom))
			i++;
		cut_short += i == depth && !interrupted_oddity;
	}
	return lib_add((int)x, 1);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	long x;
	int saved = errno;

	(void)signal;
	(void)info;
	if (depth_now >= DEPTH_MAX)
		return;
	depth_now++;
	x = handled++ & 1023;
	interrupted_oddity = is_thunk(arch_pc(context));
	wrong_results += lib_between(in_handler, x) != x + 2;
	depth_now--;
	errno = saved;
}

static NOINLINE long in_program(long x)
{
	return lib_add((int)x, 2);
}

/* Makes a call, and one inside another, until both sides are done. Returns how many rounds. */
static NOINLINE long work(void)
{
	long round = 0;

	for (; round < ENOUGH_CALLS || handled < ENOUGH_HANDLED; round++) {
		wrong_results += lib_add((int)(round & 1023), 1) != (round & 1023) + 1;
		wrong_results += lib_call(in_program, round & 1023) != (round & 1023) + 3;
	}
	return round;
}

static void handle(int flags)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART | flags };
	void *frame;

	/* Loads what backtrace() needs, which a handler must not. */
	backtrace(&frame, 1);
	sigaction(SIGALRM, &action, NULL);
}

static void report(long rounds)
{
	printf("%ld wrong results, %ld backtraces cut short\n", wrong_results, cut_short);
	expect("lib_add calls=%ld", 2 * rounds + handled);
	expect("lib_call calls=%ld", rounds);
	expect("lib_between calls=%ld", handled);
}

static void run_with_itimer(int flags)
{
	struct itimerval often = { { 0, PERIOD_US }, { 0, PERIOD_US } }, never = { 0 };
	long rounds;

	bottom = (uintptr_t)run_scenario;
	handle(flags);
	setitimer(ITIMER_REAL, &often, NULL);
	rounds = work();
	setitimer(ITIMER_REAL, &never, NULL);
	report(rounds);
}

static void give_stack(void)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };

	sigaltstack(&stack, NULL);
}

static void on_the_same_stack(void)
{
	run_with_itimer(0);
}

static void on_its_own_stack(void)
{
	give_stack();
	run_with_itimer(SA_ONSTACK);
}

static void need_backtrace(void)
{
	if (!HAS_BACKTRACE)
		skip_scenario("this libc has no backtrace()");
}

static void with_backtrace(void)
{
	need_backtrace();
	unwinds = true;
	run_with_itimer(0);
}

static void with_backtrace_on_its_own_stack(void)
{
	need_backtrace();
	unwinds = true;
	give_stack();
	run_with_itimer(SA_ONSTACK);
}

/* A signal may come while another is handled. */
static void nested(void)
{
	run_with_itimer(SA_NODEFER);
}

/* Starts a timer for this thread alone. */
static timer_t start_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	struct itimerspec often = { { 0, PERIOD_US * 1000 }, { 0, PERIOD_US * 1000 } };
	timer_t timer;

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		fail("timer_create");
	timer_settime(timer, 0, &often, NULL);
	return timer;
}

static void *work_with_timer(void *unused)
{
	timer_t timer;
	long rounds;

	(void)unused;
	give_stack();
	timer = start_timer();
	rounds = work();
	timer_delete(timer);
	return (void *)rounds;
}

static void in_threads(void)
{
	pthread_t threads[3];
	long rounds = 0;

	unwinds = HAS_BACKTRACE;
	bottom = (uintptr_t)work_with_timer;
	handle(SA_ONSTACK);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work_with_timer, NULL);
	for (int i = 0; i < 3; i++) {
		void *result;

		pthread_join(threads[i], &result);
		rounds += (long)result;
	}
	report(rounds);
}

#define EXPIRATIONS 20

static void on_expiration(union sigval unused)
{
	static atomic_int begun;

	(void)unused;
	if (atomic_fetch_add(&begun, 1) >= EXPIRATIONS)
		return;
	wrong_results += lib_add(1, 2) != 3;
	handled++;
}

/* libc runs each in a thread of its own, which another thread of libc starts. Both have signals of
 * libc's blocked, and die of them if they are not. */
static void timer_threads(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
				  .sigev_notify_function = on_expiration };
	struct itimerspec often = { { 0, 5000000 }, { 0, 5000000 } };
	struct timespec moment = { 0, 1000000 };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &often, NULL))
		fail("timer_create");
	while (handled < EXPIRATIONS)
		nanosleep(&moment, NULL);
	timer_delete(timer);
	printf("wrong %ld\n", wrong_results);
	expect("lib_add calls=%d", EXPIRATIONS);
}

static const struct scenario scenarios[] = {
	{ "on_the_same_stack", on_the_same_stack },
	{ "on_its_own_stack", on_its_own_stack },
	{ "with_backtrace", with_backtrace },
	{ "with_backtrace_on_its_own_stack", with_backtrace_on_its_own_stack },
	{ "nested", nested },
	{ "in_threads", in_threads },
	{ "timer_threads", timer_threads },
};

MAIN_OF(scenarios)
