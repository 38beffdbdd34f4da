/* SPDX-License-Identifier: MIT
 *
 * phase SHARE - a load in step with the kernel's tick: it works for that share of the time between
 * two ticks, and always sleeps when one comes. How many of its own ticks are noticed, and how many
 * of the rest are settled when profiling is turned off?
 */
#include "figures.h"

static double kernel_tick(void)
{
	struct timespec ts;

	clock_getres(CLOCK_MONOTONIC_COARSE, &ts);
	return (double)ts.tv_nsec * 1e-9;
}

/* The coarse clock steps in the kernel's tick. */
static double next_kernel_tick(void)
{
	double before = seconds_on(CLOCK_MONOTONIC_COARSE);

	while (seconds_on(CLOCK_MONOTONIC_COARSE) == before)
		;
	return wall();
}

static void sleep_until(double when)
{
	struct timespec ts = { .tv_sec = (time_t)when };

	ts.tv_nsec = (long)((when - (double)ts.tv_sec) * 1e9);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

int main(int argc, char **argv)
{
	double tick = kernel_tick(), share = argc > 1 ? atof(argv[1]) : 0.25;
	double start = next_kernel_tick() + tick / 10, cpu;
	unsigned int noticed;

	count_everything();
	cpu = thread_cpu();
	for (int i = 1; i * tick < 4; i++) {
		double end;

		sleep_until(start + i * tick);
		end = wall() + share * tick;
		while (wall() < end)
			;
	}
	cpu = thread_cpu() - cpu;
	noticed = everything[0];
	count_nothing();
	printf("%-10s ticks due %4.0f, noticed %4u, with those settled at the end %4u\n",
	       clock_in_use(), cpu * 100, noticed, everything[0]);
	return 0;
}
