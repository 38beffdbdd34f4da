/* SPDX-License-Identifier: MIT
 *
 * plain_profil [SCALE [SECONDS]] - a program that knows only libc's profil(). Profiles 64 KiB of
 * text around a function that burns so much CPU time, by default 0.5 s, and prints what the call
 * returned, errno, and the sum of what was counted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static unsigned short buf[65536];

static __attribute__((noinline)) void burn(double seconds)
{
	struct timespec now, start;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((double)(now.tv_sec - start.tv_sec) +
			 (double)(now.tv_nsec - start.tv_nsec) * 1e-9 <
		 seconds);
}

int main(int argc, char **argv)
{
	unsigned int scale = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 65536;
	double seconds = argc > 2 ? atof(argv[2]) : 0.5;
	unsigned long sum = 0;
	int result;

	errno = 0;
	result = profil(buf, sizeof(buf), ((size_t)burn & ~0xffffUL), scale);
	printf("%d %s ", result, result ? strerror(errno) : "-");
	burn(seconds);
	profil(buf, 0, 0, 0);
	for (size_t i = 0; i < sizeof(buf) / sizeof(buf[0]); i++)
		sum += buf[i];
	printf("%lu\n", sum);
	return 0;
}
