/* SPDX-License-Identifier: MIT
 *
 * eight [SECONDS] - eight functions with known shares of CPU time, 40/20/15/10/5/5/3/2, called in
 * turns, in slices of odd lengths so that nothing repeats in step with a clock. Knows only libc's
 * profil(). Prints a line for each function: name, CPU seconds it really used, samples in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PAGE  4096
#define COUNT 8

static double thread_cpu(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Each in a page of its own. Works for a number of rounds, not for a time: no clock is read within.
 */
#define FUNCTION(name)                                                                             \
	__attribute__((noinline, aligned(PAGE), section(".text.eight." #name))) static void name(  \
		long rounds)                                                                       \
	{                                                                                          \
		for (volatile long i = 0; i < rounds; i++)                                         \
			;                                                                          \
	}

FUNCTION(forty)
FUNCTION(twenty)
FUNCTION(fifteen)
FUNCTION(ten)
FUNCTION(five)
FUNCTION(five_too)
FUNCTION(three)
FUNCTION(two)

static const struct {
	const char *name;
	void (*run)(long);
	long share;
} functions[COUNT] = {
	{ "forty", forty, 40 }, { "twenty", twenty, 20 }, { "fifteen", fifteen, 15 },
	{ "ten", ten, 10 },     { "five", five, 5 },      { "five_too", five_too, 5 },
	{ "three", three, 3 },  { "two", two, 2 },
};

static double rounds_a_second(void)
{
	double start = thread_cpu();
	long rounds = 20000000;

	two(rounds);
	return (double)rounds / (thread_cpu() - start);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 6, used[COUNT] = { 0 };
	double rounds = rounds_a_second();
	unsigned int seed = 4711;
	size_t low = (size_t)-1, high = 0;
	unsigned short *buf;

	for (int i = 0; i < COUNT; i++) {
		size_t at = (size_t)functions[i].run;

		low = at < low ? at : low;
		high = at + PAGE > high ? at + PAGE : high;
	}
	buf = calloc(high - low, 1);
	if (!buf || profil(buf, high - low, low, 65536) != 0) {
		perror("eight: profil");
		return 1;
	}
	for (double total = 0; total < seconds;) {
		for (int i = 0; i < COUNT; i++) {
			/* 40 gets 13 ms on average; each slice is longer or shorter by up to a half
			 */
			double slice = (double)functions[i].share / 40 * 0.013 *
				       (0.5 + (double)rand_r(&seed) / RAND_MAX);
			double start = thread_cpu(), took;

			functions[i].run((long)(slice * rounds));
			took = thread_cpu() - start;
			used[i] += took;
			total += took;
		}
	}
	profil(buf, 0, 0, 0);
	for (int i = 0; i < COUNT; i++) {
		size_t bin = ((size_t)functions[i].run - low) / 2;
		unsigned long samples = 0;

		for (size_t b = bin; b < bin + PAGE / 2; b++)
			samples += buf[b];
		printf("%s %.4f %lu\n", functions[i].name, used[i], samples);
	}
	free(buf);
	return 0;
}
