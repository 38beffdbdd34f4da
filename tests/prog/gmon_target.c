/* SPDX-License-Identifier: MIT
 *
 * gmon_target.c - is built with -pg, and prints how often it has called which of its functions:
 * "calls FUNCTION COUNT" for each. Its arguments choose what else it does, and how it ends.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gmon_library.h"

#define NOT_ALONE static __attribute__((noinline, used))

void moncontrol(int mode);

#ifdef GMON_EARLY
void __monstartup(uintptr_t low, uintptr_t high);

/* Starts before all constructors, as the start-up files of some CPUs do. */
static void start_early(void)
{
	__monstartup(0, UINTPTR_MAX);
}

__attribute__((section(".preinit_array"), used)) static void (*early)(void) = start_early;
#endif

static void said(const char *function, long count)
{
	printf("calls %s %ld\n", function, count);
	fflush(stdout);
}

/* ---- threads that race ---- */

NOT_ALONE void raced(void)
{
	__asm__ volatile("");
}

static void *race(void *count)
{
	for (long i = *(long *)count; i; i--)
		raced();
	return NULL;
}

static void threads(long number, long count)
{
	pthread_t ids[64];

	if (number > 64)
		exit(2);
	for (long i = 0; i < number; i++)
		pthread_create(&ids[i], NULL, race, &count);
	for (long i = 0; i < number; i++)
		pthread_join(ids[i], NULL);
	said("raced", number * count);
	said("race", number);
}

/* Starts threads one after another. */
static void generations(long number, long count)
{
	for (long i = 0; i < number; i++) {
		pthread_t id;

		pthread_create(&id, NULL, race, &count);
		pthread_join(id, NULL);
	}
	said("raced", number * count);
	said("race", number);
}

/* ---- registers ---- */

struct large {
	double numbers[5];
};

NOT_ALONE double all_kinds(int a, double b, long c, float d, void *e, double f, int g, int h, int i,
			   int j, struct large k, double l)
{
	return a + b + (double)c + d + (e ? 1 : 0) + f + g + h + i + j + k.numbers[4] + l;
}

NOT_ALONE double variadic(int count, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, count);
	while (count--)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}

NOT_ALONE struct large by_memory(double seed)
{
	return (struct large){ { seed, seed * 2, seed * 3, seed * 4, seed * 5 } };
}

/* Each call from a place of its own the first time, so that it goes the long way. */
static void arguments(long count)
{
	struct large k = { { 0, 0, 0, 0, 10 } };
	long wrong = 0;

	for (long i = 0; i < count; i++) {
		wrong += all_kinds(1, 2, 3, 4, &k, 5, 6, 7, 8, 9, k, 11) != 67;
		wrong += variadic(9, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0) != 45;
		wrong += by_memory(3).numbers[4] != 15;
	}
	if (wrong) {
		printf("%ld results were wrong\n", wrong);
		exit(9);
	}
	said("all_kinds", count);
	said("variadic", count);
	said("by_memory", count);
}

/* ---- many arcs ---- */

NOT_ALONE void from_anywhere(void)
{
	__asm__ volatile("");
}

#define CALLS_10                                                                                   \
	from_anywhere(), from_anywhere(), from_anywhere(), from_anywhere(), from_anywhere(),       \
		from_anywhere(), from_anywhere(), from_anywhere(), from_anywhere(),                \
		from_anywhere()
#define CALLS_100                                                                                  \
	CALLS_10, CALLS_10, CALLS_10, CALLS_10, CALLS_10, CALLS_10, CALLS_10, CALLS_10, CALLS_10,  \
		CALLS_10
#define CALLS_1000                                                                                 \
	CALLS_100, CALLS_100, CALLS_100, CALLS_100, CALLS_100, CALLS_100, CALLS_100, CALLS_100,    \
		CALLS_100, CALLS_100
#define CALLS_10000                                                                                \
	CALLS_1000, CALLS_1000, CALLS_1000, CALLS_1000, CALLS_1000, CALLS_1000, CALLS_1000,        \
		CALLS_1000, CALLS_1000, CALLS_1000

/* Ten thousand calls take most of a second to optimize. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((optnone))
#else
#define AS_WRITTEN __attribute__((optimize(0)))
#endif

AS_WRITTEN static void many(long count)
{
	for (long i = 0; i < count; i++)
		CALLS_10000;
	said("from_anywhere", 10000 * count);
}

/* ---- signal handlers that count as well ---- */

static volatile long handled_count;

NOT_ALONE void in_handler(void)
{
	__asm__ volatile("");
}

NOT_ALONE void handled(int sig)
{
	(void)sig;
	handled_count++;
	for (int i = 0; i < 10; i++)
		in_handler();
}

static void signals(long count)
{
	struct sigaction action = { .sa_handler = handled, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	long calls = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handled_count < count; calls++)
		raced();
	setitimer(ITIMER_REAL, &never, NULL);
	said("raced", calls);
	said("handled", handled_count);
	said("in_handler", 10 * handled_count);
}

/* ---- jumps ---- */

static jmp_buf back;

NOT_ALONE void jumps(void)
{
	longjmp(back, 1);
}

NOT_ALONE void jumps_over(void)
{
	jumps();
}

static void longjmps(long count)
{
	volatile long i = 0;

	while (i < count) {
		i++;
		if (!setjmp(back))
			jumps_over();
	}
	said("jumps", count);
	said("jumps_over", count);
}

/* ---- libraries that come and go ---- */

static long open_and_call(const char *path, const char *name, long count)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*function)(void);

	if (!library) {
		printf("%s\n", dlerror());
		exit(2);
	}
	function = (void (*)(void))dlsym(library, name);
	for (long i = 0; i < count; i++)
		function();
	dlclose(library);
	return count;
}

static void plugins(const char *folder)
{
	char left[4096], right[4096];
	long lefts = 0, rights = 0;

	snprintf(left, sizeof(left), "%s/libgmon_plugin_left.so", folder);
	snprintf(right, sizeof(right), "%s/libgmon_plugin_right.so", folder);
	for (int i = 1; i <= 20; i++) {
		lefts += open_and_call(left, "left_plugged", i);
		rights += open_and_call(right, "right_plugged", 2 * i);
	}
	said("left_plugged", lefts);
	said("right_plugged", rights);
}

/* ---- forks ---- */

static void forks(long count)
{
	pid_t child;

	for (long i = 0; i < count; i++)
		raced();
	child = fork();
	if (child == 0) {
		for (long i = 0; i < 2 * count; i++)
			raced();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	child = vfork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	printf("child %ld\n", 2 * count);
	said("raced", count);
}

/* ---- time ---- */

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

NOT_ALONE void spin_until(double seconds)
{
	while (cpu_seconds() < seconds)
		for (volatile int i = 0; i < 100000; i++)
			;
}

static void *spin(void *seconds)
{
	spin_until(*(double *)seconds);
	return NULL;
}

/* Spends half of the time in each of two threads. */
static void time_of_threads(long milliseconds)
{
	double seconds = (double)milliseconds / 1000;
	pthread_t id;

	pthread_create(&id, NULL, spin, &seconds);
	spin_until(seconds);
	pthread_join(id, NULL);
	printf("cpu %.3f\n", cpu_seconds());
}

/* ---- the end ---- */

static void end(const char *how)
{
	if (strcmp(how, "exit") == 0)
		exit(0);
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(0);
	if (strcmp(how, "abort") == 0)
		abort();
	/* On some CPUs, __builtin_trap() raises SIGTRAP, which is for debuggers and clocks. */
	if (strcmp(how, "fault") == 0)
		*(volatile char *)(uintptr_t)atoi(how) = 0;
	if (strcmp(how, "exec") == 0)
		execlp("true", "true", NULL);
	if (atoi(how)) {
		kill(getpid(), atoi(how));
		pause();
	}
}

static void controlled(long count)
{
	for (long i = 0; i < count; i++)
		raced();
	moncontrol(0);
	for (long i = 0; i < count; i++)
		raced();
	moncontrol(1);
	for (long i = 0; i < count; i++)
		raced();
	said("raced", 2 * count);
}

/* Fails unless the program sees the handlers it would see without us. A static one does not. */
static void dispositions(void)
{
#ifndef GMON_STATIC
	struct sigaction old;

	if (sigaction(SIGTERM, NULL, &old) || old.sa_handler != SIG_DFL ||
	    signal(SIGINT, SIG_IGN) != SIG_DFL || signal(SIGINT, SIG_DFL) != SIG_IGN ||
	    signal(SIGINT, SIG_DFL) != SIG_DFL) {
		printf("the program sees handlers that are not its own\n");
		exit(9);
	}
#endif
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 0;

	if (strcmp(what, "threads") == 0)
		threads(8, count);
	else if (strcmp(what, "generations") == 0)
		generations(count, 1000);
	else if (strcmp(what, "arguments") == 0)
		arguments(count);
	else if (strcmp(what, "many") == 0)
		many(count);
	else if (strcmp(what, "signals") == 0)
		signals(count);
	else if (strcmp(what, "jumps") == 0)
		longjmps(count);
	else if (strcmp(what, "plugins") == 0)
		plugins(argv[2]);
	else if (strcmp(what, "forks") == 0)
		forks(count);
	else if (strcmp(what, "time") == 0)
		time_of_threads(count);
	else if (strcmp(what, "controlled") == 0)
		controlled(count);
	else if (strcmp(what, "library") == 0)
		said("library_outer", library_outer(count)), said("library_inner", 3 * count);
	else
		return 2;
	dispositions();
	if (argc > 3)
		end(argv[3]);
	return 0;
}
