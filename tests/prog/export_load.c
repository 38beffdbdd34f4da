/* SPDX-License-Identifier: MIT
 *
 * export_load.c [ROUNDS] - a profile with something for each format: twelve functions with work of
 * different size, callers above them, recursion, and two threads with names of their own. With
 * ONE_AT_A_TIME, they do not run side by side.
 */
#include <pthread.h>
#include <stdlib.h>

#if __has_attribute(noclone)
#define NOINLINE __attribute__((noinline, noclone))
#else
#define NOINLINE __attribute__((noinline))
#endif

static volatile unsigned sink;

/* Work of a function's own: nothing is called. */
#define WORK(units)                                                                                \
	for (unsigned i = 0; i < (units)*200000u; i++)                                             \
	sink = sink * 3 + i

#define DEFINE_WORKER(number, units)                                                               \
	NOINLINE static void worker_##number(void)                                                 \
	{                                                                                          \
		WORK(units);                                                                       \
	}

DEFINE_WORKER(01, 1)
DEFINE_WORKER(02, 2)
DEFINE_WORKER(03, 3)
DEFINE_WORKER(04, 4)
DEFINE_WORKER(05, 5)
DEFINE_WORKER(06, 6)
DEFINE_WORKER(07, 7)
DEFINE_WORKER(08, 8)
DEFINE_WORKER(09, 9)
DEFINE_WORKER(10, 10)
DEFINE_WORKER(11, 11)
DEFINE_WORKER(12, 12)

NOINLINE static void small_ones(void)
{
	worker_01();
	worker_02();
	worker_03();
	worker_04();
	worker_05();
	worker_06();
	WORK(1);
}

NOINLINE static void large_ones(void)
{
	worker_07();
	worker_08();
	worker_09();
	worker_10();
	worker_11();
	worker_12();
	WORK(2);
}

/* Calls itself, directly and by way of the other. */
NOINLINE static void pong(int depth);

NOINLINE static void ping(int depth)
{
	if (depth == 0)
		small_ones();
	else if (depth % 2)
		ping(depth - 1);
	else
		pong(depth - 1);
	WORK(1);
}

NOINLINE static void pong(int depth)
{
	ping(depth);
	WORK(1);
}

NOINLINE static void *in_thread(void *rounds)
{
	for (int i = 0; i < *(int *)rounds; i++)
		large_ones();
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, &rounds))
		return 1;
	pthread_setname_np(thread, "large; ones");
#ifdef ONE_AT_A_TIME
	pthread_join(thread, NULL);
#endif
	for (int i = 0; i < rounds; i++)
		ping(4);
#ifndef ONE_AT_A_TIME
	pthread_join(thread, NULL);
#endif
	return 0;
}
