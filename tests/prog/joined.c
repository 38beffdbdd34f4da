/* SPDX-License-Identifier: MIT
 *
 * joined.c - calls functions of a library, itself and in a child, and prints how often, with the
 * CPU time that they took:
 *
 *	called FUNCTION COUNT NS
 */
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "joined.h"

#define TURNS 800000

static long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

static unsigned idle(unsigned turns)
{
	(void)turns;
	return joined_idle();
}

static void call(const char *name, unsigned (*function)(unsigned), int count, unsigned turns)
{
	long start = cpu_ns();

	for (int i = 0; i < count; i++)
		function(turns);
	printf("called %s %d %ld\n", name, count, cpu_ns() - start);
	fflush(stdout);
}

int main(void)
{
	pid_t child;

	call("joined_hot", joined_hot, 300, TURNS);
	call("joined_other", joined_other, 50, TURNS);
	call("joined_cool", joined_cool, 100, TURNS);
	call("joined_idle", idle, 7, 0);
	call("joined_uncounted", joined_uncounted, 50, TURNS);
	child = fork();
	if (child == 0) {
		call("joined_hot", joined_hot, 20, TURNS);
		_exit(0);
	}
	return waitpid(child, NULL, 0) == child ? 0 : 1;
}
