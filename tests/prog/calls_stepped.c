/* SPDX-License-Identifier: MIT
 *
 * calls_stepped.c - calls that a debugger walks through an instruction at a time; see
 * tests/torture/calls_debugger.py.
 */
#include <setjmp.h>
#include <stdio.h>

#include "calls_lib.h"

static volatile int result;

static __attribute__((noinline)) long called_back(long x)
{
	return x + 1;
}

/* The debugger steps from the first instruction of this one until it has returned. */
void stepped(int kind);
__attribute__((noinline)) void stepped(int kind)
{
	jmp_buf place;

	if (kind == 0)
		result += lib_add(1, 2);
	else if (kind == 1)
		result += (int)lib_call(called_back, 3);
	else
		result += setjmp(place); /* is only counted */
}

int main(void)
{
	/* Excludes the profiler's work at the very first call of all, which is long. */
	lib_between(called_back, 1);
	/* Each kind so often that it is bound, then has all it needs, and then takes the short way.
	 */
	for (int i = 0; i < 9; i++)
		stepped(i / 3);
	printf("%d\n", result);
	return 0;
}
