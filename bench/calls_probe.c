/* SPDX-License-Identifier: MIT
 *
 * calls_probe.c - a program that calls an empty function of a library, so that the time of a call
 * is that of call and return. bench/run starts it under one tool or another.
 *
 *	calls_probe CALLS THREADS
 *
 * Each thread makes its calls in CHUNKS of equally many and prints how long one took in each, and
 * how long two readings of the CPU's counter took: no tool can time a call with less. The threads
 * begin each chunk together.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "calls_nothing.h"
#include "tsc.h"

#define CHUNKS      40
#define MAX_THREADS 16

struct worker {
	pthread_t thread;
	double call_ns[CHUNKS], two_readings_ns[CHUNKS];
};

static struct worker workers[MAX_THREADS];
static unsigned long chunk_calls;
static pthread_barrier_t together;
static volatile uint64_t sink;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void make_calls(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		calls_nothing();
}

static void read_twice(unsigned long count)
{
	uint64_t sum = 0;

	for (unsigned long i = 0; i < count; i++) {
		uint64_t start = tsc_now();

		sum += tsc_now() - start;
	}
	sink = sum;
}

/* Nanoseconds of one. */
static double time_of(void (*what)(unsigned long), unsigned long count)
{
	uint64_t start;

	pthread_barrier_wait(&together);
	start = now_ns();
	what(count);
	return (double)(now_ns() - start) / (double)count;
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	for (int i = 0; i < CHUNKS; i++) {
		worker->call_ns[i] = time_of(make_calls, chunk_calls);
		worker->two_readings_ns[i] = time_of(read_twice, chunk_calls);
	}
	return NULL;
}

static void print(const struct worker *worker)
{
	printf("thread\n");
	for (int i = 0; i < CHUNKS; i++)
		printf("chunk %.2f %.2f\n", worker->call_ns[i], worker->two_readings_ns[i]);
}

int main(int argc, char **argv)
{
	unsigned long calls = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long threads = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (calls < CHUNKS || calls % CHUNKS || threads < 1 || threads > MAX_THREADS) {
		fprintf(stderr,
			"usage: calls_probe CALLS THREADS\n"
			"CALLS is a multiple of %d, THREADS is up to %d\n",
			CHUNKS, MAX_THREADS);
		return 2;
	}
	if (calls == UINT64_MAX)
		calls_not_made();
	chunk_calls = calls / CHUNKS;
	pthread_barrier_init(&together, NULL, (unsigned)threads);
	for (unsigned long i = 1; i < threads; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
			fputs("calls_probe: no more threads\n", stderr);
			return 1;
		}
	work(&workers[0]);
	for (unsigned long i = 1; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	for (unsigned long i = 0; i < threads; i++)
		print(&workers[i]);
	return 0;
}
