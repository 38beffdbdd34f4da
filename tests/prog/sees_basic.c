/* SPDX-License-Identifier: MIT
 *
 * sees_basic.c - a library of functions that call no others.
 */
#include "sees.h"

static unsigned long compared;

int sees_add(int a, int b)
{
	return a + b;
}

int sees_twice(int a)
{
	return 2 * a;
}

int sees_first_name(int a)
{
	return 4 * a;
}

int sees_other_name(int a) __attribute__((alias("sees_first_name")));

int sees_thrice(int a)
{
	return 3 * a;
}

int sees_compare(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	compared++;
	return (left > right) - (left < right);
}

unsigned long sees_compared(void)
{
	return compared;
}
