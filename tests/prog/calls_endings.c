/* SPDX-License-Identifier: MIT
 *
 * calls_endings.c - a process that ends in the middle of everything: what was called until that
 * very instant is in the recording.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "calls_lib.h"
#include "calls_target.h"

#define CALLS 1000

static void work(void)
{
	long sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += lib_add(i, 1);
	printf("sum %ld\n", sum);
}

static void end_below(callback *end)
{
	static const struct rlimit no_core;

	setrlimit(RLIMIT_CORE, &no_core);
	expect("lib_add calls=%d", CALLS);
	expect("lib_call calls=1 running=1");
	work();
	lib_call(end, 1);
}

static NOINLINE long is_killed(long x)
{
	kill(getpid(), SIGKILL);
	pause();
	return x;
}

static void killed(void)
{
	end_below(is_killed);
}

static NOINLINE long exits_at_once(long x)
{
	_exit((int)x + 6);
}

static void exit_at_once(void)
{
	end_below(exits_at_once);
}

static NOINLINE long aborts(long x)
{
	(void)x;
	abort();
}

static void aborted(void)
{
	end_below(aborts);
}

static NOINLINE long writes_to_nowhere(long x)
{
	*(volatile long *)x = 1;
	return x;
}

static void segmentation_fault(void)
{
	end_below(writes_to_nowhere);
}

static void at_exit(void)
{
	work();
}

static NOINLINE long exits(long x)
{
	exit((int)x + 7);
}

static void exit_below(void)
{
	atexit(at_exit);
	expect("lib_add calls=%d", CALLS);
	end_below(exits);
}

static void exit_quickly_below_handler(void)
{
	work();
}

static NOINLINE long exits_quickly(long x)
{
	quick_exit((int)x + 8);
}

static void exit_quickly(void)
{
	at_quick_exit(exit_quickly_below_handler);
	expect("lib_add calls=%d", CALLS);
	end_below(exits_quickly);
}

/* The same process, with a new program in it. */
static NOINLINE long execs(long x)
{
	char *const arguments[] = { (char *)target_path, (char *)expectations_path,
				    (char *)"exit_at_once", NULL };

	execv(target_path, arguments);
	return x;
}

static void exec_itself(void)
{
	end_below(execs);
}

static pthread_barrier_t barrier;

static void *work_and_wait(void *unused)
{
	long sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += lib_add(i, 1);
	pthread_barrier_wait(&barrier);
	lib_wait(*(int *)unused);
	return (void *)sum;
}

/* Other threads are in the middle of a call. */
static void return_beside_threads(void)
{
	int never[2];

	if (pipe(never) != 0)
		fail("pipe");
	pthread_barrier_init(&barrier, NULL, 5);
	for (int i = 0; i < 4; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, work_and_wait, &never[0]);
	}
	pthread_barrier_wait(&barrier);
	expect("lib_add calls=%d", 4 * CALLS);
	/* They may or may not have come that far. */
	expect("lib_wait calls=0..4 running=?");
}

/* Until the kernel ends it; not more than a test may use where it does not. */
static void out_of_memory(void)
{
	const int calls = 12345;
	const size_t piece = 1 << 20, most = (size_t)1 << 30;

	expect("lib_add calls=%d returned=%d", calls, calls);
	for (int i = 0; i < calls; i++)
		lib_add(i, 1);
	for (size_t used = 0; used < most; used += piece) {
		char *memory = malloc(piece);

		if (memory)
			memset(memory, 1, piece);
	}
	puts("there was enough");
}

static const struct scenario scenarios[] = {
	{ "killed", killed },
	{ "exit_at_once", exit_at_once },
	{ "aborted", aborted },
	{ "segmentation_fault", segmentation_fault },
	{ "exit_below", exit_below },
	{ "exit_quickly", exit_quickly },
	{ "exec_itself", exec_itself },
	{ "return_beside_threads", return_beside_threads },
	{ "out_of_memory", out_of_memory },
};

MAIN_OF(scenarios)
