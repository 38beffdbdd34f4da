/* SPDX-License-Identifier: MIT
 *
 * throwers.cc - threads that throw exceptions through several functions, for tests that attach to
 * it. Reads lines, and prints one for each:
 *
 *	go N	every thread throws N exceptions through DEPTH functions	done CAUGHT
 *	walk N	N faults at the first instruction of a function, each with a walk of the stack by
 *		backtrace()	walked FOUND: how many have found the function's caller
 *	fault N	N faults there, each with an exception from the handler	faulted CAUGHT
 *	sum 0	sum of all PLT tables	sum HEX
 *
 * CAUGHT is -1 where an exception was not the one that was thrown, or a destructor has not run.
 */
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

#define APART       __attribute__((noinline, noclone))
#define DEPTH       8
#define THREADS_MAX 64

static pthread_barrier_t start, end;
static long wanted, caught;
static int threads;
static bool is_walking;
static long walked;

struct guard {
	int *left;
	~guard()
	{
		++*left;
	}
};

extern "C" {
APART static void thrown_first(int number)
{
	if (number >= 0)
		throw number;
}

/* The destructor makes each function a stop on the way. */
APART static void thrown_through(int depth, int number, int *left)
{
	guard one = { left };

	if (depth > 1)
		thrown_through(depth - 1, number, left);
	else
		thrown_first(number);
}

APART static bool thrown_caught(int number)
{
	int left = 0;

	try {
		thrown_through(DEPTH, number, &left);
	} catch (int found) {
		return found == number && left == DEPTH;
	}
	return false;
}

/* Its first instruction reads the number. */
APART static int thrown_faults(const volatile int *number)
{
	int found = *number;

	__asm__ volatile("" : "+r"(found));
	return found + 1;
}

/* No other code is within 64 bytes. */
APART __attribute__((aligned(64))) static int thrown_calls_fault(const int *number)
{
	int found = thrown_faults(number);

	__asm__ volatile("" : "+r"(found));
	return found + 1;
}
}

APART __attribute__((aligned(64))) static bool finds_caller()
{
	void *frames[32];
	int count = backtrace(frames, 32);

	for (int i = 0; i < count; i++)
		if ((char *)frames[i] > (char *)thrown_calls_fault &&
		    (char *)frames[i] < (char *)thrown_calls_fault + 64)
			return true;
	return false;
}

/* The stack of a fault can be left by an exception where its table covers all instructions
 * (-fnon-call-exceptions). */
static void on_fault(int)
{
	if (is_walking)
		walked += finds_caller();
	throw 'f';
}

static bool fault_once()
{
	const int *volatile nothing = nullptr;

	try {
		thrown_calls_fault(nothing);
	} catch (char found) {
		return found == 'f';
	}
	return false;
}

static long fault(long number)
{
	long found = 0;

	for (long i = 0; i < number; i++)
		found += fault_once();
	return found;
}

static void *work(void *)
{
	for (;;) {
		bool is_right = true;
		long number = 0;

		pthread_barrier_wait(&start);
		for (; number < wanted; number++)
			is_right = thrown_caught((int)number) && is_right;
		__atomic_fetch_add(&caught, is_right ? number : -1000000, __ATOMIC_RELAXED);
		pthread_barrier_wait(&end);
	}
	return nullptr;
}

static long go(long number)
{
	wanted = number;
	caught = 0;
	pthread_barrier_wait(&start);
	pthread_barrier_wait(&end);
	return caught < 0 ? -1 : caught;
}

static void obey(const char *line)
{
	long number = strlen(line) > 3 ? strtol(strchr(line, ' '), nullptr, 10) : 0;

	is_walking = line[0] == 'w';
	walked = 0;
	if (line[0] == 'g')
		printf("done %ld\n", go(number));
	else if (line[0] == 's')
		printf("sum %lx\n", tables_sum());
	else if (fault(number) == number)
		printf("faulted %ld\n", is_walking ? walked : number);
	else
		printf("faulted -1\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sigaction action = {};
	char line[100];
	void *frames[1];

	backtrace(frames, 1); /* loads the unwinder */
	threads = argc > 1 ? atoi(argv[1]) : 4;
	if (threads < 1 || threads > THREADS_MAX)
		return 1;
	action.sa_handler = on_fault;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, nullptr);
	pthread_barrier_init(&start, nullptr, (unsigned)threads + 1);
	pthread_barrier_init(&end, nullptr, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, nullptr, work, nullptr))
			return 1;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strchr(line, ' '))
		obey(line);
	return 0;
}
