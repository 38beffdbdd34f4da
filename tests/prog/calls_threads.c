/* SPDX-License-Identifier: MIT
 *
 * calls_threads.c - many threads: at once, one after another, detached ones, and ones with hardly
 * any stack.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "calls_lib.h"
#include "calls_target.h"

static pthread_barrier_t barrier;
static atomic_long sum;

/* All are in here at the same time. */
static NOINLINE long meets(long x)
{
	pthread_barrier_wait(&barrier);
	return lib_add((int)x, 1);
}

static void *meet(void *number)
{
	sum += lib_call(meets, (long)number);
	return NULL;
}

static void *add(void *number)
{
	int n = (int)(long)number;

	sum += lib_add(n, 1) + lib_add(n, 2);
	return NULL;
}

static void init_small(pthread_attr_t *attr)
{
	pthread_attr_init(attr);
	pthread_attr_setstacksize(attr, 65536);
}

static void at_once(void)
{
	enum { COUNT = 2000 };
	static pthread_t threads[COUNT];
	pthread_attr_t attr;

	init_small(&attr);
	pthread_barrier_init(&barrier, NULL, COUNT);
	for (long i = 0; i < COUNT; i++) {
		if (pthread_create(&threads[i], &attr, meet, (void *)i) != 0)
			skip_scenario("this machine does not let us have 2000 threads");
	}
	for (int i = 0; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	printf("sum %ld\n", sum);
	expect("lib_call calls=%d", COUNT);
	expect("lib_add calls=%d", COUNT);
}

static void one_after_another(void)
{
	enum { COUNT = 25000 };
	pthread_attr_t attr;

	init_small(&attr);
	for (long i = 0; i < COUNT; i++) {
		pthread_t thread;

		if (pthread_create(&thread, &attr, add, (void *)i) != 0)
			fail("pthread_create");
		pthread_join(thread, NULL);
	}
	printf("sum %ld\n", sum);
	expect("lib_add calls=%d", 2 * COUNT);
}

static atomic_int living;

static void *add_and_signal(void *number)
{
	add(number);
	living--;
	return NULL;
}

static void detached(void)
{
	enum { COUNT = 2000 };
	pthread_attr_t attr;

	init_small(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (long i = 0; i < COUNT; i++) {
		pthread_t thread;

		living++;
		if (pthread_create(&thread, &attr, add_and_signal, (void *)i) != 0)
			fail("pthread_create");
	}
	while (living > 0)
		sched_yield();
	printf("sum %ld\n", sum);
	expect("lib_add calls=%d", 2 * COUNT);
}

/* Fills most of its stack, and calls from there. */
static void *fill(void *number)
{
	volatile char filler[20000];

	for (size_t i = 0; i < sizeof(filler); i++)
		filler[i] = (char)i;
	sum += lib_add((int)(long)number, filler[255]);
	return NULL;
}

static bool has_run(void *(*function)(void *), size_t stack_bytes)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	return pthread_attr_setstacksize(&attr, stack_bytes) == 0 &&
	       pthread_create(&thread, &attr, function, (void *)1) == 0 &&
	       pthread_join(thread, NULL) == 0;
}

/* A profiler takes nothing from the stacks of threads. */
static void small_stacks(void)
{
	size_t bytes = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	bool has_filled;

	while (!has_run(add, bytes))
		bytes += 1024;
	printf("the smallest stack has %zu bytes\n", bytes);
	has_filled = has_run(fill, 32768); /* less than the least on some CPUs */
	printf("one that is nearly full: %s\n", has_filled ? "fine" : "refused");
	printf("sum %ld\n", sum);
	expect("lib_add calls=%d", has_filled ? 3 : 2);
}

static const struct scenario scenarios[] = {
	{ "at_once", at_once },
	{ "one_after_another", one_after_another },
	{ "detached", detached },
	{ "small_stacks", small_stacks },
};

MAIN_OF(scenarios)
