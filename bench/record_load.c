/* SPDX-License-Identifier: MIT
 *
 * record_load.c - a load for profilers that know stacks: it uses the CPU for a while, 20 to 40
 * frames deep in functions without frame pointers, and notes by how much it is interrupted.
 *
 *	record_load MILLISECONDS
 *
 * It works in short passes and looks at the clock in between. A pass that took much longer than
 * passes do was interrupted: what it took is a gap. Where another program had the CPU meanwhile, or
 * the gap is so long that it must be so, it is left out. Passes walk through more memory than the
 * first cache holds, since a profiler that is found in the cache each time is cheaper than it is in
 * life.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "tsc.h"

#define GAP_NS     1000   /* a pass that takes longer was interrupted */
#define LONGEST_NS 100000 /* a longer gap is another program's */

#define WORDS  (1 << 17) /* a megabyte */
#define PASSES 400       /* at the bottom of one stack: some 40 us */
#define SHAPES 64        /* different stacks that it comes there by */

static uint64_t words[WORDS];
static uint64_t gap_tsc, longest_tsc;
static uint64_t state = 1;
static long switches;

static struct {
	uint64_t passes;
	uint64_t tsc; /* of all passes that count, gaps too */
} sum;

static uint64_t gaps[1 << 18];
static size_t gap_count;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static double ns_per_tsc(void)
{
	uint64_t tsc = tsc_now(), start = clock_ns(CLOCK_MONOTONIC), ns;

	do
		ns = clock_ns(CLOCK_MONOTONIC) - start;
	while (ns < 10000000);
	return (double)ns / (double)(tsc_now() - tsc);
}

static long times_switched(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static inline uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Handles a pass that was interrupted. Returns nonzero if it counts. */
__attribute__((noinline, cold)) static int is_gap(uint64_t took)
{
	long now = times_switched();
	int counts = now == switches && took < longest_tsc;

	switches = now;
	if (counts && gap_count < sizeof(gaps) / sizeof(gaps[0]))
		gaps[gap_count++] = took;
	return counts;
}

/* Where the time is spent. */
__attribute__((noinline)) static uint64_t bottom(void)
{
	uint64_t last = tsc_now(), now;

	for (int i = 0; i < PASSES; i++) {
		uint64_t *word = &words[next_random() % WORDS];

		*word += last ^ *word >> 3;
		now = tsc_now();
		if (now - last < gap_tsc || is_gap(now - last)) {
			sum.passes++;
			sum.tsc += now - last;
			last = now;
		} else {
			last = tsc_now();
		}
	}
	return last;
}

/*
 * On the way there: functions with frames of different sizes that keep different registers. Which
 * ones follow each other is in `shape`.
 */
typedef uint64_t way(uint64_t shape, int depth);

static way way_0, way_1, way_2, way_3;
static way *const ways[] = { way_0, way_1, way_2, way_3 };

static inline uint64_t on(uint64_t shape, int depth)
{
	return depth ? ways[(shape >> (depth % 32)) % 4](shape, depth - 1) : bottom();
}

__attribute__((noinline)) static uint64_t way_0(uint64_t shape, int depth)
{
	return on(shape, depth) + 1;
}

__attribute__((noinline)) static uint64_t way_1(uint64_t shape, int depth)
{
	volatile uint64_t room[16];

	room[depth % 16] = shape;
	return on(shape, depth) + room[depth % 16];
}

__attribute__((noinline)) static uint64_t way_2(uint64_t shape, int depth)
{
	uint64_t a = shape * 3, b = shape ^ (uint64_t)depth, c = a * b;
	uint64_t below = on(shape, depth);

	return below * a + b * c;
}

__attribute__((noinline)) static uint64_t way_3(uint64_t shape, int depth)
{
	volatile char *room = __builtin_alloca((size_t)depth * 8 + 32);

	room[depth] = (char)shape;
	return on(shape, depth) + (uint64_t)room[depth];
}

int main(int argc, char **argv)
{
	uint64_t end_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000;
	double tsc_ns = ns_per_tsc();
	uint64_t start = clock_ns(CLOCK_PROCESS_CPUTIME_ID), used_ns, sink = 0;

	gap_tsc = (uint64_t)(GAP_NS / tsc_ns);
	longest_tsc = (uint64_t)(LONGEST_NS / tsc_ns);
	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = i;
	switches = times_switched();
	do {
		uint64_t shape = (next_random() % SHAPES + 1) * UINT64_C(0x9e3779b97f4a7c15);

		sink += on(shape, 16 + (int)(shape >> 60));
		used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
	} while (used_ns < end_ns);
	printf("passes %llu\npasses_ns %.0f\ncpu_ns %llu\ngaps_ns", (unsigned long long)sum.passes,
	       (double)sum.tsc * tsc_ns, (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	for (size_t i = 0; i < gap_count; i++)
		printf(" %.0f", (double)gaps[i] * tsc_ns);
	putchar('\n');
	return sink == 1;
}
