/* SPDX-License-Identifier: MIT
 *
 * calls_children.c - processes made in every way, while functions of a library are under way and in
 * threads. A call that was under way when the process forked belongs to the parent: that it returns
 * in the child as well is counted nowhere.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "calls_lib.h"
#include "calls_target.h"
#include "thread.h"

extern char **environ;

/* Makes 10 calls. Returns the status that a child exits with. */
static int work(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum = lib_add(sum, 1);
	return sum + 32;
}

static void reap(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		fail("no child");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 42)
		printf("a child ended with status %#x\n", (unsigned int)status);
}

/* Does the work of the programs that are exec'ed below. */
static void be_a_child(void)
{
	exit(work());
}

static char *const *child_arguments(void)
{
	static char *arguments[4];

	arguments[0] = (char *)target_path;
	arguments[1] = (char *)expectations_path;
	arguments[2] = (char *)"be_a_child";
	return arguments;
}

/* The child borrows the parent's memory, and its stack, until it execs. */
static NOINLINE long vforks(long x)
{
	pid_t child = vfork();

	if (child == 0) {
		execv(target_path, child_arguments());
		_exit(1);
	}
	reap(child);
	return x;
}

static void vfork_exec(void)
{
	long sum = 0;

	for (int i = 0; i < 20; i++)
		sum += lib_call(vforks, i);
	printf("sum %ld %d\n", sum, work());
	expect("lib_call calls=20");
	expect("lib_add calls=10");
	expect("child lib_add calls=200");
}

/* A wrapped call in the child of vfork() is made on the parent's stack and by the parent's thread.
 */
static NOINLINE long vforks_and_calls(long x)
{
	volatile long sum = x;
	pid_t child = vfork();

	if (child == 0) {
		sum = sum + lib_add(1, 1);
		_exit(42);
	}
	reap(child);
	return sum;
}

static void vfork_calls(void)
{
	long sum = 0;

	for (int i = 0; i < 20; i++)
		sum += lib_call(vforks_and_calls, i);
	printf("sum %ld\n", sum);
	expect("lib_call calls=20");
	/* In the parent's memory: no profiler can tell whose it is, but it happened. */
	expect("lib_add calls=20");
}

static NOINLINE long spawns(long x)
{
	pid_t child;

	if (posix_spawn(&child, target_path, NULL, NULL, child_arguments(), environ) != 0)
		fail("posix_spawn");
	reap(child);
	return x;
}

static void spawn(void)
{
	long sum = 0;

	for (int i = 0; i < 20; i++)
		sum += lib_call(spawns, i);
	printf("sum %ld\n", sum);
	expect("lib_call calls=20");
	expect("child lib_add calls=200");
}

static NOINLINE long runs_a_shell(long x)
{
	char command[4096];
	int status;

	snprintf(command, sizeof(command), "'%s' '%s' be_a_child; exit $?", target_path,
		 expectations_path);
	status = system(command);
	return x + (WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void shell(void)
{
	long sum = 0;

	for (int i = 0; i < 10; i++)
		sum += lib_call(runs_a_shell, i);
	printf("sum %ld\n", sum);
	expect("lib_call calls=10");
	expect("child lib_add calls=100");
}

static pid_t forked;

static NOINLINE long forks(long x)
{
	forked = fork();
	return x;
}

/* The child goes back through the call that was under way, and then on by itself. */
static void fork_below(void)
{
	for (int i = 0; i < 20; i++) {
		long sum = lib_call(forks, i);

		if (forked == 0)
			exit(sum == i + 1 ? work() : 1);
		reap(forked);
	}
	printf("parent: %d\n", work());
	expect("lib_call calls=20");
	expect("lib_add calls=10");
	expect("child lib_add calls=200");
}

static NOINLINE long forks_twice(long x)
{
	forked = fork();
	return forked == 0 ? lib_between(forks, x) : x;
}

/* A grandchild, which has a call of its parent and one of its parent's parent to go back through.
 */
static void fork_again(void)
{
	pid_t self = getpid();

	lib_call(forks_twice, 1);
	if (forked != 0)
		reap(forked);
	if (getpid() != self)
		exit(work());
	printf("parent: %d\n", work());
	expect("lib_call calls=1");
	expect("child lib_between calls=1");
	expect("lib_add calls=10");
	expect("child lib_add calls=20");
}

static jmp_buf home;

static NOINLINE long forks_and_jumps(long x)
{
	forked = fork();
	if (forked == 0)
		longjmp(home, 1);
	return x;
}

static void fork_and_jump(void)
{
	for (volatile int i = 0; i < 20; i++) {
		if (setjmp(home) != 0)
			exit(work());
		lib_call(forks_and_jumps, i);
		reap(forked);
	}
	printf("parent: %d\n", work());
	expect("lib_call calls=20");
	expect("lib_add calls=10");
	expect("child lib_add calls=200");
}

static pthread_barrier_t barrier;

static void *fork_many(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(work());
		reap(child);
		for (int j = 0; j < 1000; j++)
			lib_add(j, 1);
	}
	return unused;
}

static void fork_in_threads(void)
{
	pthread_t threads[4];

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, fork_many, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("all have ended\n");
	expect("lib_add calls=80000");
	expect("child lib_add calls=800");
}

#define BLANK_CALLS 3

__attribute__((unused)) static int call_and_exit(void *unused)
{
	sigset_t none;
	int sum = 0;

	(void)unused;
	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &none, NULL);
	for (int i = 0; i < BLANK_CALLS; i++)
		sum = lib_add(sum, 14);
	_exit(sum);
}

/*
 * As sandboxes do it: a child in the parent's memory whose thread pointer leads to a blank block,
 * in whatever memory. Thread-local variables would be below the block, or above it. A profiler has
 * none of its own there. The child is the first to call the function: it is bound there, and for
 * the parent as well.
 */
static void clone_blank(void)
{
#if defined(__i386__)
	skip_scenario("the kernel takes a segment for a thread pointer here");
#else
	const size_t page = 65536;
	const int flags = CLONE_VM | CLONE_VFORK | CLONE_SETTLS | SIGCHLD;
	static _Alignas(16) char stack[65536];
	char *memory = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *block = memory + page;

	if (memory == MAP_FAILED || mprotect(block, page, PROT_READ | PROT_WRITE))
		fail("mmap");
	/* At its lower end, in its middle, and at its upper end. */
	for (size_t at = 0; at < 3; at++) {
		char *pointer = block + (at == 2 ? page - 256 : TCB_BELOW + at * page / 2);

		memset(block, 0, page);
		*(char **)pointer = pointer;
		reap(clone(call_and_exit, stack + sizeof(stack), flags, NULL, NULL, pointer, NULL));
	}
	printf("%d\n", work());
	expect("lib_add calls=10");
	/* And, of all functions, those about the mask and that by which it exits. */
	expect("lost calls=%d..%d", 3 * BLANK_CALLS, 3 * (BLANK_CALLS + 3));
#endif
}

static const struct scenario scenarios[] = {
	{ "be_a_child", be_a_child },
	{ "vfork_exec", vfork_exec },
	{ "vfork_calls", vfork_calls },
	{ "spawn", spawn },
	{ "shell", shell },
	{ "fork_below", fork_below },
	{ "fork_again", fork_again },
	{ "fork_and_jump", fork_and_jump },
	{ "fork_in_threads", fork_in_threads },
	{ "clone_blank", clone_blank },
};

MAIN_OF(scenarios)
