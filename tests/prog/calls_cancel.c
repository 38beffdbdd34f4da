/* SPDX-License-Identifier: MIT
 *
 * calls_cancel.c - threads that end inside functions of a library, by pthread_exit() and
 * pthread_cancel(), with cleanups to run. It is built twice: with -fexceptions a cleanup is a
 * landing pad, without it is a setjmp() that the unwinder jumps to.
 */
#include <pthread.h>

#include "calls_lib.h"
#include "calls_target.h"

#define THREADS 100

/*
 * The count of calls that a thread ends in the middle of. Where a cleanup is a setjmp(), the
 * unwinder jumps there as soon as it reaches the stack pointer of the function that contains it,
 * and so past the frames between that function and the one it called. Then the end of the call may
 * go unnoticed until the thread ends.
 */
#ifdef __EXCEPTIONS
#define LEFT "escaped=%d"
#else
#define LEFT "returned=0 escaped=0..%d abandoned=? running=?"
#endif

static long order; /* which cleanups ran, in which order, as digits */
static int never[2];

static void clean_up(void *digit)
{
	order = order * 10 + lib_add((int)(size_t)digit, 0);
}

static NOINLINE long exits(long x)
{
	pthread_exit((void *)x);
}

static NOINLINE long cleans_up_and_exits(long x)
{
	long result;

	pthread_cleanup_push(clean_up, (void *)1);
	result = lib_between(exits, x) + 1;
	pthread_cleanup_pop(0);
	return result;
}

static void *exit_thread(void *argument)
{
	pthread_cleanup_push(clean_up, (void *)2);
	lib_call(cleans_up_and_exits, (long)argument);
	pthread_cleanup_pop(0);
	return NULL;
}

static void exit_below(void)
{
	long sum = 0, orders = 0;

	for (long i = 0; i < THREADS; i++) {
		pthread_t thread;
		void *result;

		order = 0;
		pthread_create(&thread, NULL, exit_thread, (void *)i);
		pthread_join(thread, &result);
		sum += (long)result;
		orders += order == 12;
	}
	printf("results %ld, %ld in order\n", sum, orders);
	expect("lib_call calls=%d " LEFT, THREADS, THREADS);
	expect("lib_between calls=%d " LEFT, THREADS, THREADS);
	expect("lib_add calls=%d", 2 * THREADS);
}

static NOINLINE long waits(long x)
{
	long result;

	pthread_cleanup_push(clean_up, (void *)1);
	result = lib_wait(never[0]) + x;
	pthread_cleanup_pop(0);
	return result;
}

static void *waiting_thread(void *ready)
{
	pthread_cleanup_push(clean_up, (void *)2);
	pthread_barrier_wait(ready);
	lib_call(waits, 0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel_waiting(void)
{
	pthread_barrier_t ready;
	int canceled = 0, orders = 0;

	if (pipe(never) != 0)
		fail("pipe");
	pthread_barrier_init(&ready, NULL, 2);
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		void *result;

		order = 0;
		pthread_create(&thread, NULL, waiting_thread, &ready);
		pthread_barrier_wait(&ready);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		canceled += result == PTHREAD_CANCELED;
		orders += order == 12;
	}
	printf("%d canceled, %d in order\n", canceled, orders);
	expect("lib_call calls=%d " LEFT, THREADS, THREADS);
	expect("lib_wait calls=%d " LEFT, THREADS, THREADS);
	expect("lib_add calls=%d", 2 * THREADS);
}

static volatile int spinning;

static NOINLINE long spins(long x)
{
	pthread_cleanup_push(clean_up, (void *)1);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	lib_spin(&spinning);
	pthread_cleanup_pop(0);
	return x;
}

static void *spinning_thread(void *unused)
{
	pthread_cleanup_push(clean_up, (void *)2);
	lib_call(spins, 0);
	pthread_cleanup_pop(0);
	return unused;
}

static void cancel_spinning(void)
{
	int canceled = 0, orders = 0;

	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		void *result;

		order = spinning = 0;
		pthread_create(&thread, NULL, spinning_thread, NULL);
		while (spinning != 1)
			sched_yield();
		pthread_cancel(thread);
		pthread_join(thread, &result);
		canceled += result == PTHREAD_CANCELED;
		orders += order == 12;
	}
	printf("%d canceled, %d in order\n", canceled, orders);
	expect("lib_call calls=%d " LEFT, THREADS, THREADS);
	expect("lib_spin calls=%d " LEFT, THREADS, THREADS);
	expect("lib_add calls=%d", 2 * THREADS);
}

static volatile long added;

/* lib_add() may be interrupted for ever anywhere, and so must what stands in front of it. */
static NOINLINE long adds_for_ever(long x)
{
	lib_add(0, 0);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;; added++)
		x += lib_add(1, 0);
	return x;
}

static void *adding_thread(void *unused)
{
	lib_call(adds_for_ever, 0);
	return unused;
}

static void cancel_anywhere(void)
{
	int canceled = 0;
	long total = THREADS;

	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		void *result;

		added = 0;
		pthread_create(&thread, NULL, adding_thread, NULL);
		while (added < 100 + i)
			sched_yield();
		pthread_cancel(thread);
		pthread_join(thread, &result);
		canceled += result == PTHREAD_CANCELED;
		total += added;
	}
	printf("%d canceled\n", canceled);
	expect("lib_call calls=%d " LEFT, THREADS, THREADS);
	/* The last call of each thread may or may not have begun, and may have been anywhere. */
	expect("lib_add calls=%ld..%ld returned=%ld..%ld escaped=0..%d abandoned=0..%d "
	       "running=0..%d",
	       total, total + THREADS, total, total + THREADS, THREADS, THREADS, THREADS);
}

static void *outlives_main(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	for (int i = 0; i < 100; i++)
		lib_add(i, i);
	printf("main has ended\n");
	return NULL;
}

static void main_exits(void)
{
	static pthread_t self;
	pthread_t thread;

	self = pthread_self();
	expect("lib_call calls=1 " LEFT, 1);
	expect("lib_between calls=1 " LEFT, 1);
	expect("lib_add calls=101");
	pthread_create(&thread, NULL, outlives_main, &self);
	lib_call(cleans_up_and_exits, 0);
}

static const struct scenario scenarios[] = {
	{ "exit_below", exit_below },           { "cancel_waiting", cancel_waiting },
	{ "cancel_spinning", cancel_spinning }, { "cancel_anywhere", cancel_anywhere },
	{ "main_exits", main_exits },
};

MAIN_OF(scenarios)
