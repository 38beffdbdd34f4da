/* SPDX-License-Identifier: MIT
 *
 * shares.c - a program whose profile is known.
 *
 *	shares functions SECONDS     eight functions, of which each does its share of the work
 *	shares threads SECONDS       two threads, of which the first does twice as much
 *
 * All functions are the same loop, in which each step waits for the one before, so that steps take
 *as long in one as in the other and the share of a function is the share of its steps. They take
 *turns that are short and vary in length, so that whatever the machine does meanwhile falls upon
 *all, and nothing keeps in step with a clock.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURN_STEPS 40000 /* of 100 shares: some tenths of a millisecond */

static volatile uint64_t sink;

/* They differ in an arbitrary number, or the compiler would merge all into one function. */
#define SHARE_FUNCTION(name, number)                                                               \
	__attribute__((noinline, aligned(64))) void name(uint64_t steps);                          \
	void name(uint64_t steps)                                                                  \
	{                                                                                          \
		uint64_t state = steps | 1;                                                        \
                                                                                                   \
		for (uint64_t i = 0; i < steps; i++)                                               \
			state = state * UINT64_C(6364136223846793005) + (number);                  \
		sink = state;                                                                      \
	}

SHARE_FUNCTION(share_40, 11)
SHARE_FUNCTION(share_20, 13)
SHARE_FUNCTION(share_15, 15)
SHARE_FUNCTION(share_10, 17)
SHARE_FUNCTION(share_5, 19)
SHARE_FUNCTION(share_5b, 21)
SHARE_FUNCTION(share_3, 23)
SHARE_FUNCTION(share_2, 25)
SHARE_FUNCTION(thread_2, 27)
SHARE_FUNCTION(thread_1, 29)

static const struct {
	void (*work)(uint64_t steps);
	unsigned int share;
} functions[] = {
	{ share_40, 40 }, { share_20, 20 }, { share_15, 15 }, { share_10, 10 },
	{ share_5, 5 },   { share_5b, 5 },  { share_3, 3 },   { share_2, 2 },
};

static double cpu_seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Half to one and a half. */
static uint64_t varied(uint64_t steps)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return steps / 2 + state % steps;
}

static void run_functions(double seconds)
{
	while (cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) < seconds) {
		uint64_t steps = varied(TURN_STEPS);

		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
			functions[i].work(steps * functions[i].share / 100);
	}
}

/* How many turns take so many seconds; made in the same function as those of the second thread. */
static uint64_t turns(double seconds, uint64_t *made)
{
	double start = cpu_seconds(CLOCK_THREAD_CPUTIME_ID), took;

	*made = 0;
	do {
		thread_1(TURN_STEPS);
		++*made;
		took = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
	} while (took < seconds / 20);
	return (uint64_t)(seconds / took * (double)*made);
}

static void *run_second(void *count)
{
	for (uint64_t i = 0; i < *(uint64_t *)count; i++)
		thread_1(TURN_STEPS);
	return NULL;
}

/* The work is settled beforehand: what a thread does is its share, however the machine runs it. */
static int run_threads(double seconds)
{
	uint64_t made, count = turns(seconds / 3, &made), second = count - made;
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_second, &second))
		return 1;
	for (uint64_t i = 0; i < 2 * count; i++)
		thread_2(TURN_STEPS);
	pthread_join(thread, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc == 3 ? strtod(argv[2], NULL) : 0;

	if (seconds > 0 && strcmp(argv[1], "functions") == 0) {
		run_functions(seconds);
		return 0;
	}
	if (seconds > 0 && strcmp(argv[1], "threads") == 0)
		return run_threads(seconds);
	fputs("usage: shares functions|threads SECONDS\n", stderr);
	return 2;
}
