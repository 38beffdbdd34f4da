/* SPDX-License-Identifier: MIT
 *
 * calls_jumps.c - longjmp() and its kin over frames of a library: they never return, what was kept
 * for them must be used again, and calls that come later must be timed as if nothing had happened.
 */
#include <setjmp.h>
#include <signal.h>

#include "calls_lib.h"
#include "calls_target.h"

#define JUMPS 100000

static jmp_buf home;
static sigjmp_buf signal_home;

static long resident_pages(void)
{
	long size, resident;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
		fail("/proc/self/statm");
	fclose(file);
	return resident;
}

/* Makes 1000 calls that must all be timed. */
static void later_calls(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += lib_add(i, 1);
	printf("later: %ld\n", sum);
}

static NOINLINE long jumps(long x)
{
	longjmp(home, (int)x);
}

/* Runs jump() `times` times; memory must not grow after the first tenth. */
static void in_a_loop(void (*jump)(int i), int times)
{
	long before = resident_pages(); /* an emulator may take a huge page for the code of this */

	for (int i = 0; i < times; i++) {
		if (i == times / 10)
			before = resident_pages();
		jump(i);
	}
	/* 1 MB: what is kept for one call is far less than that for 90% of them. In an emulator
	 * this takes so long that samples beside it fill as much; a slot for 90% of them is 5 MB.
	 */
	printf("%d jumps, memory %s\n", times,
	       resident_pages() - before < (getenv("TESTS_EMULATED") ? 512 : 256) ? "stays"
										  : "grows");
	later_calls();
}

static NOINLINE void over_one(int i)
{
	if (setjmp(home) == 0)
		lib_call(jumps, 1 + i % 7);
}

static void one(void)
{
	in_a_loop(over_one, JUMPS);
	expect("lib_call calls=%d abandoned=%d", JUMPS, JUMPS);
	expect("lib_add calls=1000");
}

static NOINLINE long deeper(long levels)
{
	return levels ? lib_call(deeper, levels - 1) : jumps(1);
}

static NOINLINE void over_hundred(int i)
{
	(void)i;
	if (setjmp(home) == 0)
		lib_call(deeper, 99);
}

static void hundred(void)
{
	in_a_loop(over_hundred, 1000);
	expect("lib_call calls=100000 abandoned=100000");
	expect("lib_add calls=1000");
}

/* Jumps half of the way: the frames above go on and return. */
static NOINLINE long half_way(long levels)
{
	if (levels != 50)
		return levels ? lib_call(half_way, levels - 1) : jumps(1);
	if (setjmp(home) == 0)
		return lib_call(half_way, 49);
	return lib_add(50, 0);
}

static NOINLINE void over_half(int i)
{
	(void)i;
	lib_call(half_way, 99);
}

static void half(void)
{
	in_a_loop(over_half, 1000);
	expect("lib_call calls=100000 abandoned=50000");
	expect("lib_add calls=2000");
}

static NOINLINE long signal_jumps(long x)
{
	siglongjmp(signal_home, (int)x);
}

static NOINLINE void over_one_with_mask(int i)
{
	if (sigsetjmp(signal_home, 1) == 0)
		lib_call(signal_jumps, 1 + i % 7);
}

static void with_mask(void)
{
	in_a_loop(over_one_with_mask, 20000);
	expect("lib_call calls=20000 abandoned=20000");
	expect("lib_add calls=1000");
}

static void *builtin_home[5];

static NOINLINE long builtin_jumps(long x)
{
	if (x)
		__builtin_longjmp(builtin_home, 1);
	return x;
}

/* Uses the compiler's own setjmp(), which no library sees. */
static NOINLINE void over_one_by_builtin(int i)
{
	if (__builtin_setjmp(builtin_home) == 0)
		lib_call(builtin_jumps, 1 + i);
}

static void builtin(void)
{
	in_a_loop(over_one_by_builtin, JUMPS);
	expect("lib_call calls=%d abandoned=%d", JUMPS, JUMPS);
	expect("lib_add calls=1000");
}

static void on_signal(int signal)
{
	(void)signal;
	lib_between(signal_jumps, 1);
}

static NOINLINE long raises(long x)
{
	raise(SIGUSR1);
	return x;
}

static NOINLINE void out_of_handler(int i)
{
	if (sigsetjmp(signal_home, 1) == 0)
		lib_call(raises, i);
}

static void handle(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGUSR1, &action, NULL);
}

static void handler(void)
{
	handle(on_signal, 0);
	in_a_loop(out_of_handler, 20000);
	expect("lib_call calls=20000 abandoned=20000");
	expect("lib_between calls=20000 abandoned=20000");
	expect("lib_add calls=1000");
}

static void on_last_signal(int signal)
{
	(void)signal;
	lib_add(1, 1);
}

static void handler_on_its_own_stack(void)
{
	static char memory[65536];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	sigaltstack(&stack, NULL);
	handle(on_signal, SA_ONSTACK);
	in_a_loop(out_of_handler, 20000);
	/* On that stack as well, a later call tells that the last jump has left it. */
	handle(on_last_signal, SA_ONSTACK);
	raise(SIGUSR1);
	lib_add(1, 1);
	expect("lib_call calls=20000 abandoned=20000");
	expect("lib_between calls=20000 abandoned=20000");
	expect("lib_add calls=1002");
}

static const struct scenario scenarios[] = {
	{ "one", one },
	{ "hundred", hundred },
	{ "half", half },
	{ "with_mask", with_mask },
	{ "builtin", builtin },
	{ "handler", handler },
	{ "handler_on_its_own_stack", handler_on_its_own_stack },
};

MAIN_OF(scenarios)
