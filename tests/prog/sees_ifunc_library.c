/* SPDX-License-Identifier: MIT
 *
 * sees_ifunc_library.c - a library with a function that is chosen when it is bound.
 */
#include "sees.h"

static int first(int a)
{
	return a + 1;
}

static int second(int a)
{
	return a + 2;
}

/* Runs before the library is relocated: it must not call other functions. Neither is constant, lest
 * the compiler see through it. */
static volatile int want_second = 1;

static __attribute__((used)) sees_function resolve(void)
{
	return want_second ? second : first;
}

int sees_pick(int a) __attribute__((ifunc("resolve")));
