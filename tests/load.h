/* SPDX-License-Identifier: MIT
 *
 * load.h - known amounts of CPU time, and how a histogram counts them.
 */
#ifndef DWELL_TESTS_LOAD_H
#define DWELL_TESTS_LOAD_H

#include <fcntl.h>
#include <profil.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

static inline double process_cpu(void)
{
	return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}

/*
 * Returns the process's CPU time as ITIMER_PROF sees it: in whole ticks of the kernel, charged to
 * the thread that runs when they come. If others use the same CPU, that is more or less than the
 * time used, by tens of per cent. The kernel's number of this clock is in no header: ~pid above
 * three bits for the clock of the process, where 0 is this one, and the process is our own.
 */
static inline double charged_cpu(void)
{
	return seconds_on((clockid_t)(~0u << 3));
}

/* A turn takes up to 2 ns, and some 10 in an emulator. */
static inline unsigned int turns_between_looks(void)
{
	return getenv("TESTS_EMULATED") ? 100000 : 250000;
}

/*
 * A function that burns CPU time of its thread, in pages of text of its own so that a histogram can
 * tell it from others. Between two looks at the clock, which happen elsewhere, it loops for at
 * most half a millisecond or so: a small part of a per cent of its time is spent outside.
 */
#define DEFINE_BURNER(name)                                                                        \
	__attribute__((noinline, aligned(4096), section(".text." #name))) static void name(        \
		double seconds)                                                                    \
	{                                                                                          \
		double end = thread_cpu() + seconds;                                               \
		unsigned int turns = turns_between_looks();                                        \
                                                                                                   \
		do {                                                                               \
			for (volatile unsigned int i = 0; i < turns; i++)                          \
				;                                                                  \
		} while (thread_cpu() < end);                                                      \
	}

/*
 * Spends CPU time in system calls. On the perf clock of an unprivileged user, up to 4 ticks that no
 * tick in user code stands for wait for a signal that comes out of a system call
 * (TICKS_LEFT_TO_PERF in clock_perf.c): on a busy machine, a thread that only computes has some.
 * This counts them.
 */
static inline void burn_in_kernel(double seconds)
{
	static char room[1 << 18];
	double end = thread_cpu() + seconds;
	int zeroes = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (thread_cpu() < end && read(zeroes, room, sizeof(room)) > 0)
		;
	close(zeroes);
}

static inline unsigned long sum16(const unsigned short *counters, size_t count)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += counters[i];
	return sum;
}

/* Returns true if |got / due - 1| <= tolerance. */
static inline bool near(double got, double due, double tolerance)
{
	double error = got / due - 1;

	return error <= tolerance && error >= -tolerance;
}

/* A program that only dlopens the library calls no function of it by name. */
#ifndef LOAD_WITHOUT_LIBRARY

static inline struct profil_clock_info clock_now(void)
{
	struct profil_clock_info info;

	profil_clock_info(&info);
	return info;
}

/* Counts every pc in one counter, which cannot overflow in a test: profil_linux() with scale 0. */
static unsigned short everything[1];

static inline int count_everything(void)
{
	everything[0] = 0;
	return profil_linux(everything, sizeof(everything), 0, 0);
}

static inline int count_nothing(void)
{
	return profil_linux(NULL, 0, 0, 0);
}

#endif

#endif
