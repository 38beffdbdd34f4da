/* SPDX-License-Identifier: MIT
 *
 * calls_start.c - a program that says how long it took to come to main().
 *
 *	calls_start NANOSECONDS     on CLOCK_MONOTONIC: when it was started
 *
 * Built with IMPORTS_MANY it is one that has imported thousands of functions by then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef IMPORTS_MANY

#include "calls_many.h"

#define DECLARE(name) void name(void);
#define CALL(name)    name();

MANY(DECLARE)

static void call_all(void)
{
	MANY(CALL)
}

#else

static void call_all(void)
{
}

#endif

int main(int argc, char **argv)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	if (argc == 2)
		printf("%llu\n", (unsigned long long)ts.tv_sec * 1000000000 +
					 (unsigned long long)ts.tv_nsec -
					 strtoull(argv[1], NULL, 10));
	else
		call_all();
	return 0;
}
