/* SPDX-License-Identifier: MIT
 *
 * calls_nested.c - a callback that finds its caller's variables by the static chain, in a program
 * of its own, because GCC's nested functions need a stack that can be executed.
 */
#include "calls_lib.h"
#include "calls_target.h"

static void sum_up(void)
{
#ifdef __clang__
	skip_scenario("clang has no nested functions");
#else
	long sum = 0;

	long add_to_sum(long x)
	{
		sum += x;
		return sum;
	}

	for (int i = 0; i < 10; i++)
		printf("%ld\n", lib_call(add_to_sum, i));
	expect("lib_call calls=10");
#endif
}

static const struct scenario scenarios[] = {
	{ "sum_up", sum_up },
};

MAIN_OF(scenarios)
