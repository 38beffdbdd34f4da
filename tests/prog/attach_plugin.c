/* SPDX-License-Identifier: MIT
 *
 * attach_plugin.c - a library that attach_target opens while it is being watched.
 */
#include <stdio.h>
#include <time.h>

void plugin_work(double seconds);

static volatile unsigned long sunk;

static double thread_cpu(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void plugin_work(double seconds)
{
	double since = thread_cpu();

	do
		for (unsigned i = 0; i < 200000; i++)
			sunk += i;
	while (thread_cpu() < since + seconds);
	printf("used plugin_work %.6f\n", thread_cpu() - since);
	fflush(stdout);
}
