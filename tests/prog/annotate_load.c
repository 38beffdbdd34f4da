/* SPDX-License-Identifier: MIT
 *
 * annotate_load.c [MILLIONS] - spends CPU time at lines that it names: three times as much at one
 * as at another, in code that is inlined there. Prints for each "NAME LINE SECONDS", by its own
 * clock.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ALWAYS static inline __attribute__((always_inline))

static double cpu(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

#ifdef __x86_64__
#define MULTIPLY "imul %1, %0\n\timul %2, %0"
#else
#define MULTIPLY "mul %0, %0, %1\n\tmul %0, %0, %2"
#endif

ALWAYS uint64_t spin(uint64_t turns, uint64_t x)
{
	for (uint64_t i = 0; i < turns; i++)
		__asm__ volatile(MULTIPLY : "+r"(x) : "r"(7UL), "r"(9UL)); /* spin */
	return x;
}

/* Spins through another function, so that there are two that are inlined. */
ALWAYS uint64_t twist(uint64_t turns, uint64_t x)
{
	return spin(turns, x) + 1;
}

struct spent {
	int line;
	double seconds;
};

static struct spent hot, warm;

uint64_t work(uint64_t turns);

__attribute__((noinline)) uint64_t work(uint64_t turns)
{
	double begun = cpu(), between;
	uint64_t x = 3;

	hot.line = __LINE__ + 1;
	x = twist(3 * turns, x);
	between = cpu();
	hot.seconds += between - begun;
	warm.line = __LINE__ + 1;
	x ^= twist(turns, x);
	warm.seconds += cpu() - between;
	return x;
}

int main(int argc, char **argv)
{
	uint64_t millions = argc > 1 ? strtoull(argv[1], NULL, 10) : 100, sum = 0;

	for (uint64_t i = 0; i < millions; i++)
		sum += work(250000);
	printf("hot %d %.6f\nwarm %d %.6f\n", hot.line, hot.seconds, warm.line, warm.seconds);
	return sum == 42;
}
