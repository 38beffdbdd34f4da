/* SPDX-License-Identifier: MIT
 *
 * record_split.c - built with -fsplit-stack, so that its stack is a chain of segments, most of them
 * too small for a signal frame. Burns 0.15 s of CPU time at their end; with an argument, it has an
 * alternate signal stack, as such programs should.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH       100
#define FRAME_BYTES 1000

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static int descend(int depth)
{
	volatile char frame[FRAME_BYTES];

	frame[0] = (char)depth;
	return depth ? descend(depth - 1) + 1 : frame[0];
}

__attribute__((noinline)) static int at_the_bottom(double seconds)
{
	double end = cpu_seconds() + seconds;
	int wrong = 0;

	while (cpu_seconds() < end)
		wrong |= descend(DEPTH) != DEPTH;
	return wrong;
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_size = 65536 };
	int wrong;

	(void)argv;
	if (argc > 1) {
		stack.ss_sp = malloc(stack.ss_size);
		if (!stack.ss_sp || sigaltstack(&stack, NULL))
			return 1;
	}
	wrong = at_the_bottom(0.15);
	printf("%d frames%s\n", DEPTH, wrong ? ", wrong" : "");
	return wrong;
}
