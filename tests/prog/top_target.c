/* SPDX-License-Identifier: MIT
 *
 * top_target.c [SECONDS [STATUS]] - something for dwell top to look at: one thread that is in
 * hot_work() for three quarters of its time and in grün_work() for the rest, and another one, whose
 * name would play with a terminal, that uses a tenth of that. For so many seconds of CPU time, or
 * until it is ended; then it exits with the status.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if __has_attribute(noclone)
#define NOINLINE __attribute__((noinline, noclone))
#else
#define NOINLINE __attribute__((noinline))
#endif

static volatile unsigned long sunk;

/* Without an end, a test looks at it for many seconds: it sleeps seven eighths of them, and still
 * has more than 100 samples in each at 1000 Hz. */
static unsigned pauses = 2;

/* They differ in the factor, lest a compiler make one of them. */
#define WORKER(name, factor)                                                                       \
	NOINLINE static void name(unsigned rounds)                                                 \
	{                                                                                          \
		for (unsigned i = 0; i < rounds * 1000000; i++)                                    \
			sunk += factor * i;                                                        \
	}

WORKER(hot_work, 3)
WORKER(grün_work, 5)
WORKER(side_work, 7)

NOINLINE static void caller_of_both(void)
{
	hot_work(3);
	grün_work(1);
	sunk++; /* the calls are not the last thing, so it stays on the stack */
}

static void *on_the_side(void *argument)
{
	for (;;) {
		side_work(1);
		usleep(pauses * 20000);
	}
	return argument;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1e9;
	pthread_t thread;

	if (argc > 1)
		pauses = 1;
	printf("pid %d\nsaid \033[31mthis\n", (int)getpid());
	fflush(stdout);
	pthread_create(&thread, NULL, on_the_side, NULL);
	pthread_setname_np(thread, "si\033[7mde");
	while (cpu_seconds() < seconds) {
		caller_of_both();
		usleep(pauses * 5000);
	}
	return argc > 2 ? atoi(argv[2]) : 0;
}
