/* SPDX-License-Identifier: MIT
 *
 * probe.c - a program whose undisturbed behaviour is known exactly, so that it can measure
 * the cost of a profiler. bench/run starts it with one profiler or another and makes tables of its
 * output; README.md explains the methods.
 *
 *	probe gaps PROFILER MILLISECONDS      reads the clock all the time, prints each gap
 *	probe work PROFILER BLOCKS CHUNKS     the same work again and again, every other block under
 *	                                      the profiler, prints the time of each chunk
 *	probe sent PROFILER COUNT             sends itself the profiler's signal: see sent.h
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "profilers.h"
#include "sent.h"
#include "stackmarks.h"
#include "tsc.h"

/* A pass of the loop that took longer was interrupted. */
#define GAP_NS 300

/* A tick that took longer has let another program run, and says little about when it began. */
#define LONGEST_TICK_NS 60000

/* Steps of a chunk of work: about a millisecond. */
#define CHUNK_STEPS 500000

struct gap {
	uint64_t start, length; /* on the TSC */
	bool signalled;         /* a signal handler ran */
	bool switched;          /* another program had the CPU meanwhile */
	uint64_t samples;       /* by so many has the profiler's count grown */
};

static struct gap gaps[1 << 17];
static size_t gap_count;

__attribute__((noreturn)) static void fail(const char *what, const char *why)
{
	printf("%s: %s\n", what, why);
	exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* ---- the TSC in nanoseconds ---- */

struct instant {
	uint64_t tsc, ns;
};

/* Returns the reading that was least disturbed, out of a few. */
static struct instant now(void)
{
	uint64_t shortest = UINT64_MAX;
	struct instant best = { 0 };

	for (int i = 0; i < 8; i++) {
		uint64_t before = tsc_now(), ns = clock_ns(CLOCK_MONOTONIC);
		uint64_t took = tsc_now() - before;

		if (took >= shortest)
			continue;
		shortest = took;
		best = (struct instant){ before, ns };
	}
	return best;
}

static double ns_per_tsc(struct instant from, struct instant to)
{
	return (double)(to.ns - from.ns) / (double)(to.tsc - from.tsc);
}

static double guess_ns_per_tsc(void)
{
	struct instant from = now(), to;

	do
		to = now();
	while (to.ns - from.ns < 10000000);
	return ns_per_tsc(from, to);
}

/* ---- the kernel's tick ---- */

/* The coarse clock is set by the tick, and by nothing else. */
static uint64_t tick_period_ns(void)
{
	struct timespec ts;

	clock_getres(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_nsec;
}

/* Prints how far into its period, on CLOCK_MONOTONIC, the tick began a few times. */
static void print_tick_phases(void)
{
	const uint64_t period = tick_period_ns();
	uint64_t last = clock_ns(CLOCK_MONOTONIC_COARSE), coarse;
	uint64_t before = clock_ns(CLOCK_MONOTONIC), at;

	printf("tick_ns %llu\n", (unsigned long long)period);
	for (int seen = 0, ticks = 0; seen < 12 && ticks < 100; before = at) {
		at = clock_ns(CLOCK_MONOTONIC);
		coarse = clock_ns(CLOCK_MONOTONIC_COARSE);
		if (coarse == last)
			continue;
		/* The tick was between the last two readings of the coarse clock: after `before`.
		 */
		last = coarse;
		ticks++;
		if (clock_ns(CLOCK_MONOTONIC) - before < LONGEST_TICK_NS) {
			printf("phase %llu\n", (unsigned long long)(before % period));
			seen++;
		}
	}
}

/* ---- gaps ---- */

static long times_switched(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/* Room for the next gap is touched ahead of time: a page fault would be a gap too. */
static void touch_gaps(void)
{
	memset(gaps, 1, sizeof(gaps));
}

/* The counts at the end of the last gap. */
struct counts {
	uint64_t samples;
	long switches;
};

static struct counts counts_now(const struct profiler *profiler)
{
	return (struct counts){ profiler->samples(), times_switched() };
}

static __attribute__((noinline)) void watch_gaps(const struct profiler *profiler,
						 uint64_t threshold, uint64_t length)
{
	const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
	const size_t room = sizeof(gaps) / sizeof(gaps[0]);
	struct counts before = counts_now(profiler), after;
	uint64_t at, last, end, latest;

	stackmarks_set(stack);
	last = tsc_now();
	end = last + length;
	latest = end + length;
	do {
		at = tsc_now();
		if (at - last > threshold) {
			bool signalled = stackmarks_hurt(stack); /* before anything is called */

			after = counts_now(profiler);
			gaps[gap_count++] = (struct gap){
				.start = last,
				.length = at - last,
				.signalled = signalled,
				.switched = after.switches != before.switches,
				.samples = after.samples - before.samples,
			};
			if (after.switches != before.switches && end < latest)
				end += at - last; /* that time was not ours */
			before = after;
			stackmarks_set(stack);
			at = tsc_now();
		}
		last = at;
	} while (at < end && gap_count < room);
}

/* Each on CLOCK_MONOTONIC. */
static void print_gaps(struct instant from, double scale)
{
	for (size_t i = 0; i < gap_count; i++)
		printf("gap %llu %.0f %d %d %llu\n",
		       (unsigned long long)from.ns +
			       (unsigned long long)((double)(gaps[i].start - from.tsc) * scale),
		       (double)gaps[i].length * scale, gaps[i].signalled, gaps[i].switched,
		       (unsigned long long)gaps[i].samples);
}

static void measure_gaps(const struct profiler *profiler, unsigned long milliseconds)
{
	double guess = guess_ns_per_tsc();
	struct instant from, to;
	uint64_t cpu_from, cpu_to;
	const char *problem;

	print_tick_phases();
	touch_gaps();
	cpu_from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	problem = profiler->start();
	if (problem)
		fail(profiler->name, problem);
	from = now();
	watch_gaps(profiler, (uint64_t)(GAP_NS / guess),
		   (uint64_t)((double)milliseconds * 1e6 / guess));
	to = now();
	cpu_to = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	profiler->stop();

	printf("cpu_ns %llu\n", (unsigned long long)(cpu_to - cpu_from));
	printf("samples %llu\n", (unsigned long long)profiler->samples());
	print_gaps(from, ns_per_tsc(from, to));
}

/* ---- work ---- */

static __attribute__((noinline)) uint64_t work(uint64_t state)
{
	for (int i = 0; i < CHUNK_STEPS; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
	}
	return state;
}

/* Prints the times of its chunks but the first, which still feels the start of the profiler. */
static void do_block(const char *label, unsigned long chunks, double scale)
{
	static uint64_t state = 88172645463325252;
	uint64_t times[1000];

	if (chunks > sizeof(times) / sizeof(times[0]))
		chunks = sizeof(times) / sizeof(times[0]);
	for (unsigned long i = 0; i < chunks; i++) {
		uint64_t start = tsc_now();

		state = work(state);
		times[i] = tsc_now() - start;
	}
	for (unsigned long i = 1; i < chunks; i++)
		printf("%s %.0f\n", label, (double)times[i] * scale);
}

static void measure_work(const struct profiler *profiler, unsigned long blocks,
			 unsigned long chunks)
{
	double scale = guess_ns_per_tsc();
	uint64_t interruptions = 0, cpu_ns = 0, cpu_from;
	const char *problem;

	for (unsigned long i = 0; i < blocks; i++) {
		do_block("without", chunks, scale);
		problem = profiler->start();
		if (problem)
			fail(profiler->name, problem);
		cpu_from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		do_block("with", chunks, scale);
		cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_from;
		profiler->stop();
		interruptions += profiler->interruptions();
	}
	printf("cpu_ns %llu\n", (unsigned long long)cpu_ns);
	printf("interruptions %llu\n", (unsigned long long)interruptions);
}

/* ---- the signal alone ---- */

static void measure_sent(const struct profiler *profiler, unsigned long count)
{
	const char *problem = sent_measure(profiler, count, guess_ns_per_tsc());

	if (problem)
		fail(profiler->name, problem);
}

/* ---- the command line ---- */

static unsigned long number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text)
		fail(text, "not a number");
	return value;
}

int main(int argc, char **argv)
{
	const struct profiler *profiler = argc > 2 ? profilers_find(argv[2]) : NULL;

	if (profiler && argc == 4 && strcmp(argv[1], "gaps") == 0) {
		measure_gaps(profiler, number(argv[3]));
	} else if (profiler && argc == 5 && strcmp(argv[1], "work") == 0) {
		measure_work(profiler, number(argv[3]), number(argv[4]));
	} else if (profiler && argc == 4 && strcmp(argv[1], "sent") == 0) {
		measure_sent(profiler, number(argv[3]));
	} else {
		fputs("usage: probe gaps PROFILER MILLISECONDS\n"
		      "       probe work PROFILER BLOCKS CHUNKS\n"
		      "       probe sent PROFILER COUNT\n",
		      stderr);
		return 2;
	}
	printf("clock %s %s\n", profilers_clock(), profilers_system_time());
	return 0;
}
