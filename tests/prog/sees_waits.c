/* SPDX-License-Identifier: MIT
 *
 * sees_waits.c - calls functions of libc that wait, work, or both, and prints what each has taken,
 * by the clocks of its own thread:
 *
 *	wait FUNCTION CALLS WALL_NS CPU_NS
 */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CALLS   20
#define NUMBERS 40000

static struct {
	int64_t wall, cpu;
} begun;

static int64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void begin(void)
{
	begun.wall = now(CLOCK_MONOTONIC);
	begun.cpu = now(CLOCK_THREAD_CPUTIME_ID);
}

static void end(const char *function)
{
	int64_t cpu = now(CLOCK_THREAD_CPUTIME_ID) - begun.cpu;

	printf("wait %s %d %lld %lld\n", function, CALLS,
	       (long long)(now(CLOCK_MONOTONIC) - begun.wall), (long long)cpu);
}

static int pipe_ends[2];

static void *feed(void *unused)
{
	for (int i = 0; i < CALLS; i++) {
		usleep(2000);
		if (write(pipe_ends[1], "x", 1) != 1)
			abort();
	}
	return unused;
}

static int numbers[NUMBERS];

static int compare(const void *left, const void *right)
{
	static unsigned int compared;
	int a = *(const int *)left, b = *(const int *)right;

	/* Some waiting in a function that works. */
	if (++compared % 100000 == 0)
		usleep(2000);
	return (a > b) - (a < b);
}

static void sort(void)
{
	unsigned int seed = 1;

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = rand_r(&seed);
	qsort(numbers, NUMBERS, sizeof(numbers[0]), compare);
}

int main(void)
{
	pthread_t feeder;
	char byte;

	begin();
	for (int i = 0; i < CALLS; i++)
		poll(NULL, 0, 3);
	end("poll");
	if (pipe(pipe_ends) || pthread_create(&feeder, NULL, feed, NULL))
		return 1;
	begin();
	for (int i = 0; i < CALLS; i++)
		if (read(pipe_ends[0], &byte, 1) != 1)
			return 1;
	end("read");
	pthread_join(feeder, NULL);
	begin();
	for (int i = 0; i < CALLS; i++)
		sort();
	end("qsort");
	return 0;
}
