/* SPDX-License-Identifier: MIT
 *
 * calls_lib.c - libcalls.so: small functions to be called through a profiler's wrappers.
 */
#include <unistd.h>

#include "calls_lib.h"

int lib_add(int a, int b)
{
	return a + b;
}

long lib_call(callback *f, long x)
{
	return f(x) + 1;
}

long lib_between(callback *f, long x)
{
	return f(x) + 1;
}

long lib_wait(int fd)
{
	char byte;

	return read(fd, &byte, 1);
}

void lib_spin(volatile int *flag)
{
	*flag = 1;
	while (*flag != 2)
		;
}
