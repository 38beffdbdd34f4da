/* SPDX-License-Identifier: MIT
 *
 * sees_times.c spins|nested|recursion|cheap|varied - calls functions that take a known time, and
 * prints how long they took:
 *
 *	call FUNCTION INSIDE OUTSIDE    one call, by the function's clock and by the caller's
 *	own FUNCTION NS                 what its calls did themselves, at least
 *	wall NS                         from the first call to the last
 *
 * Nothing is printed in between.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sees.h"
#include "sees_spin.h"

#define LOG_MAX 8192

static struct {
	const char *function;
	struct sees_pair pair;
} calls[LOG_MAX];
static int call_count;

static void log_call(const char *function, long inside_ns, long outside_ns)
{
	calls[call_count].function = function;
	calls[call_count].pair = (struct sees_pair){ inside_ns, outside_ns };
	call_count++;
}

static void call(const char *name, long (*function)(long), long ns)
{
	long start = sees_clock_ns(), inside = function(ns);

	log_call(name, inside, sees_clock_ns() - start);
}

/* 0 to 1; the same ones in each run */
static double fraction(void)
{
	static unsigned int seed = 4711;

	return (double)rand_r(&seed) / ((double)RAND_MAX + 1);
}

/* The mixture has 85 % of 10 us, 12 % of 100 us and 3 % of 1 ms, in random order: so its p50, p90
 * and p99 are each well inside one of them. */
static void run_spins(void)
{
	for (int i = 0; i < 1000; i++)
		call("sees_short", sees_short, 10000);
	for (int i = 0; i < 100; i++)
		call("sees_long", sees_long, 100000);
	for (int i = 0; i < 1000; i++) {
		double which = fraction();

		call("sees_mixed", sees_mixed,
		     which < 0.85   ? 10000
		     : which < 0.97 ? 100000
				    : 1000000);
	}
	for (int i = 0; i < 5; i++)
		call("sees_sleep", sees_sleep, 3000000);
}

static void run_nested(void)
{
	enum { OUTER = 50, INNER = 10 };
	long own = 0;

	for (int i = 0; i < OUTER; i++) {
		struct sees_pair inner[INNER];
		long start = sees_clock_ns();
		long inside = sees_outer(20000, 50000, INNER, inner, &own);

		log_call("sees_outer", inside, sees_clock_ns() - start);
		for (int j = 0; j < INNER; j++)
			log_call("sees_inner", inner[j].inside_ns, inner[j].outside_ns);
	}
	printf("own sees_outer %ld\n", own);
}

static void recurse(const char *name, long (*function)(int, long, long *))
{
	long own = 0;

	for (int i = 0; i < 30; i++) {
		long start = sees_clock_ns(), inside = function(9, 20000, &own);

		log_call(name, inside, sees_clock_ns() - start);
	}
	printf("own %s %ld\n", name, own);
}

static void run_recursion(void)
{
	recurse("sees_recurse", sees_recurse);
	recurse("sees_ping", sees_ping);
}

static void run_cheap(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 1000000; i++)
		sum = sees_add(sum, i);
}

/* Evenly spread on a logarithmic scale, from 1 to 20 us. */
static void run_varied(void)
{
	for (int i = 0; i < 2000; i++)
		call("sees_varied", sees_varied, (long)(1000 * pow(20, fraction())));
}

static const struct {
	const char *name;
	void (*run)(void);
} runs[] = {
	{ "spins", run_spins }, { "nested", run_nested }, { "recursion", run_recursion },
	{ "cheap", run_cheap }, { "varied", run_varied },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		long start = sees_clock_ns();

		if (argc < 2 || strcmp(argv[1], runs[i].name) != 0)
			continue;
		runs[i].run();
		printf("wall %ld\n", sees_clock_ns() - start);
	}
	for (int i = 0; i < call_count; i++)
		printf("call %s %ld %ld\n", calls[i].function, calls[i].pair.inside_ns,
		       calls[i].pair.outside_ns);
	return 0;
}
