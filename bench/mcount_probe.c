/* SPDX-License-Identifier: MIT
 *
 * mcount_probe.c THREADS CALLS - prints the time of a call of an empty function, in each of so many
 * threads: that of the median of 40 chunks, in nanoseconds, "one" from one place and "many" from a
 * thousand. Then how many calls there were: "calls COUNT". Built with -pg, and without.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHUNKS      40
#define THREADS_MAX 16

static __attribute__((noinline)) void nothing(void)
{
	__asm__ volatile("");
}

static __attribute__((noinline)) void nothing_either(void)
{
	__asm__ volatile("");
}

#define TEN(call)      call, call, call, call, call, call, call, call, call, call
#define HUNDRED(call)  TEN(TEN(call))
#define THOUSAND(call) TEN(HUNDRED(call))

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double values[CHUNKS])
{
	qsort(values, CHUNKS, sizeof(values[0]), by_value);
	return (values[CHUNKS / 2 - 1] + values[CHUNKS / 2]) / 2;
}

struct work {
	pthread_barrier_t *all; /* begin at once */
	long calls;             /* from one place, and from many */
	double one_ns, many_ns;
};

static void *run(void *argument)
{
	struct work *work = argument;
	double ones[CHUNKS], manies[CHUNKS];
	long part = work->calls / CHUNKS;

	pthread_barrier_wait(work->all);
	for (int i = 0; i < CHUNKS; i++) {
		uint64_t began = now_ns(), between;

		for (long j = 0; j < part; j++)
			nothing();
		between = now_ns();
		for (long j = 0; j < part / 1000; j++)
			THOUSAND(nothing_either());
		ones[i] = (double)(between - began) / (double)part;
		manies[i] = (double)(now_ns() - between) / (double)part;
	}
	work->one_ns = median(ones);
	work->many_ns = median(manies);
	return NULL;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1, calls = argc > 2 ? atol(argv[2]) : 4000000;
	struct work work[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	pthread_barrier_t all;

	if (count < 1 || count > THREADS_MAX || calls < 1000 * CHUNKS)
		return 2;
	calls -= calls % (1000 * CHUNKS);
	pthread_barrier_init(&all, NULL, (unsigned)count);
	for (long i = 0; i < count; i++) {
		work[i] = (struct work){ .all = &all, .calls = calls };
		pthread_create(&threads[i], NULL, run, &work[i]);
	}
	for (long i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		printf("one %.3f many %.3f\n", work[i].one_ns, work[i].many_ns);
	}
	printf("calls %ld\n", 2 * count * calls);
	return 0;
}
