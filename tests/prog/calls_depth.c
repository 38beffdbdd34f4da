/* SPDX-License-Identifier: MIT
 *
 * calls_depth.c - a million calls of a library inside each other. Times may be missing for the
 * deepest; counts, results and what comes later may not.
 */
#include <pthread.h>
#include <setjmp.h>

#include "calls_lib.h"
#include "calls_target.h"

#define DEPTH 1000000
#define STACK (1UL << 30)

static jmp_buf home;

static NOINLINE long deeper(long levels)
{
	return levels ? lib_call(deeper, levels - 1) + 1 : 0;
}

static NOINLINE long deeper_and_jumps(long levels)
{
	if (levels == 0)
		longjmp(home, 1);
	return lib_call(deeper_and_jumps, levels - 1) + 1;
}

static void later_calls(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += lib_add(i, 1);
	printf("later: %ld\n", sum);
}

static void *go_deep(void *unused)
{
	printf("depth %ld\n", deeper(DEPTH) / 2);
	later_calls();
	return unused;
}

static void *go_deep_and_jump(void *unused)
{
	if (setjmp(home) == 0)
		deeper_and_jumps(DEPTH);
	later_calls();
	printf("depth %ld\n", deeper(1000) / 2);
	return unused;
}

static void with_a_large_stack(void *(*run)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	if (pthread_create(&thread, &attr, run, NULL) != 0)
		skip_scenario("there is no room for a stack of 1 GB");
	pthread_join(thread, NULL);
}

static void returning(void)
{
	with_a_large_stack(go_deep);
	expect("lib_call calls=%d untimed=?", DEPTH);
	expect("lib_add calls=1000");
}

static void jumped_out_of(void)
{
	with_a_large_stack(go_deep_and_jump);
	expect("lib_call calls=%d returned=1000 abandoned=? untimed=?", DEPTH + 1000);
	expect("lib_add calls=1000");
}

static const struct scenario scenarios[] = {
	{ "returning", returning },
	{ "jumped_out_of", jumped_out_of },
};

MAIN_OF(scenarios)
