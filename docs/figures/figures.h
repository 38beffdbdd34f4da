/* SPDX-License-Identifier: MIT
 *
 * figures.h - shared parts of the programs in this folder. Each prints one line: the clock, the
 * ticks that were due, and the ticks that came. ./run compiles and runs them; docs/CLOCKS.md
 * explains the figures.
 */
#ifndef DWELL_DOCS_FIGURES_H
#define DWELL_DOCS_FIGURES_H

#include <profil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double seconds_on(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static inline double thread_cpu(void)
{
	return seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

static inline double wall(void)
{
	return seconds_on(CLOCK_MONOTONIC);
}

/* Uses CPU time of the calling thread, in user code. */
static inline void burn(double seconds)
{
	double end = thread_cpu() + seconds;

	do {
		for (volatile int i = 0; i < 20000; i++)
			;
	} while (thread_cpu() < end);
}

/* "perf", "timer", "itimer"; "perf+timer": the perf clock that does not see the kernel. */
static inline const char *clock_in_use(void)
{
	static char name[32];
	struct profil_clock_info info;

	profil_clock_info(&info);
	if (!info.clock) {
		fprintf(stderr, "no clock: %s\n", info.problem);
		exit(1);
	}
	if (strcmp(info.clock, info.system_time) == 0)
		return info.clock;
	snprintf(name, sizeof(name), "%s+%s", info.clock, info.system_time);
	return name;
}

/* Every address in one counter. */
static unsigned short everything[1];

static inline void count_everything(void)
{
	if (profil_linux(everything, sizeof(everything), 0, 0) < 0)
		clock_in_use();
}

static inline void count_nothing(void)
{
	profil_linux(NULL, 0, 0, 0);
}

#endif
