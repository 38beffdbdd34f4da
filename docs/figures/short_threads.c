/* SPDX-License-Identifier: MIT
 *
 * short_threads MILLISECONDS COUNT - threads one after another, each with so much CPU time: are
 * they noticed at all?
 */
#include <pthread.h>

#include "figures.h"

static double seconds;

static void *run(void *unused)
{
	burn(seconds);
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 500;
	struct profil_clock_info info;
	pthread_t thread;

	seconds = (argc > 1 ? atof(argv[1]) : 3) / 1000;
	count_everything();
	for (int i = 0; i < count; i++) {
		pthread_create(&thread, NULL, run, NULL);
		pthread_join(thread, NULL);
	}
	profil_clock_info(&info);
	printf("%-10s %d threads of %.0f ms: ticks due %.0f, counted %llu, lost %llu\n",
	       clock_in_use(), count, seconds * 1000, info.cpu_seconds * info.asked_hz,
	       info.samples, info.lost);
	count_nothing();
	return 0;
}
