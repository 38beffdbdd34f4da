/* SPDX-License-Identifier: MIT
 *
 * threads - four threads that use 2, 1, 0.5 and 0.25 seconds of CPU time: what does each get?
 */
#include <pcsample.h>
#include <pthread.h>

#include "figures.h"

#define THREADS 4

static uintptr_t pcs[2000];

/* The same work for each thread, in text of its own. */
#define DEFINE_WORK(name)                                                                          \
	__attribute__((noinline, section("text_" #name))) static void name(double seconds)         \
	{                                                                                          \
		double end = thread_cpu() + seconds;                                               \
                                                                                                   \
		do {                                                                               \
			for (volatile int i = 0; i < 1000000; i++)                                 \
				;                                                                  \
		} while (thread_cpu() < end);                                                      \
	}                                                                                          \
	extern char __start_text_##name[], __stop_text_##name[];

DEFINE_WORK(work_a)
DEFINE_WORK(work_b)
DEFINE_WORK(work_c)
DEFINE_WORK(work_d)

static const struct work {
	void (*run)(double seconds);
	double seconds;
	char *start, *stop;
} works[THREADS] = {
	{ work_a, 2, __start_text_work_a, __stop_text_work_a },
	{ work_b, 1, __start_text_work_b, __stop_text_work_b },
	{ work_c, 0.5, __start_text_work_c, __stop_text_work_c },
	{ work_d, 0.25, __start_text_work_d, __stop_text_work_d },
};

static void *run(void *arg)
{
	const struct work *work = arg;

	work->run(work->seconds);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int stored;

	if (pcsample(pcs, sizeof(pcs) / sizeof(pcs[0])) < 0)
		clock_in_use();
	for (int t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, run, (void *)&works[t]);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	stored = pcsample(NULL, 0);
	printf("%-10s", clock_in_use());
	for (int t = 0; t < THREADS; t++) {
		int got = 0;

		for (int i = 0; i < stored; i++)
			got += pcs[i] >= (uintptr_t)works[t].start &&
			       pcs[i] < (uintptr_t)works[t].stop;
		printf(" due %3.0f got %3d;", works[t].seconds * 100, got);
	}
	putchar('\n');
	return 0;
}
