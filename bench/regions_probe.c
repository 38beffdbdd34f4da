/* SPDX-License-Identifier: MIT
 *
 * regions_probe.c - the cost of a region of dwell.h, begin and end, beside that of two calls of an
 *empty function of the program itself. Prints nanoseconds of CPU time: the least of ROUNDS, in
 *which the two and an empty loop take turns. Run it by itself for the cost where nothing is
 *recorded, and under dwell record for that where it is.
 *
 *	regions_probe [ROUNDS]
 */
#include <dwell.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPEATS 2000000

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void nothing(const char *name)
{
	__asm__ volatile("" : : "r"(name) : "memory");
}

static void loop(const char *name)
{
	for (int i = 0; i < REPEATS; i++)
		__asm__ volatile("" : : "r"(name) : "memory");
}

static void call(const char *name)
{
	for (int i = 0; i < REPEATS; i++) {
		nothing(name);
		nothing(name);
	}
}

static void mark(const char *name)
{
	for (int i = 0; i < REPEATS; i++) {
		dwell_region_begin(name);
		__asm__ volatile("" : : "r"(name) : "memory");
		dwell_region_end(name);
	}
}

static double ns_of(void (*part)(const char *))
{
	uint64_t start = now_ns();

	part("a region");
	return (double)(now_ns() - start) / REPEATS;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20;
	double empty = 1e9, calls = 1e9, regions = 1e9;

	for (int i = 0; i < rounds; i++) {
		empty = least(empty, ns_of(loop));
		calls = least(calls, ns_of(call));
		regions = least(regions, ns_of(mark));
	}
	printf("empty loop            %6.2f ns\n", empty);
	printf("two empty functions   %6.2f ns, %.2f more than the loop\n", calls, calls - empty);
	printf("region, begin and end %6.2f ns, %.2f more than the loop: %.2f times two empty "
	       "functions\n",
	       regions, regions - empty, (regions - empty) / (calls - empty));
	return 0;
}
