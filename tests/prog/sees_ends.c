/* SPDX-License-Identifier: MIT
 *
 * sees_ends.c HOW [NUMBER [PROGRAM]] - makes some calls and ends in one of the ways a process can
 * end. Its counts must not be lost, nor those of its children, nor those of PROGRAM, another name
 * of this one, which some ways execute.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sees.h"

#define ADD   5 /* calls that every way begins with */
#define AFTER 7 /* calls of another function, by what is executed */
#define CHILD 3 /* calls in a child */

static const char *program;

static void call(sees_function function, int times)
{
	for (int i = 0; i < times; i++)
		function(i);
}

static int add_one(int a)
{
	return sees_add(a, 1);
}

/* Flushes what it prints, since some of these ways to end would lose a buffer. */
static void expect_calls(unsigned long add, unsigned long twice)
{
	expect("sees_add", "libsees_basic.so", add);
	if (twice)
		expect("sees_twice", "libsees_basic.so", twice);
	fflush(stdout);
}

static int normally(int status)
{
	expect_calls(ADD, 0);
	exit(status);
}

static int at_once(int status)
{
	expect_calls(ADD, 0);
	_exit(status);
}

static int by_abort(int unused)
{
	expect_calls(ADD, 0);
	abort();
	return unused;
}

static int by_signal(int signal)
{
	expect_calls(ADD, 0);
	raise(signal);
	return 0;
}

static int by_exec(int unused)
{
	expect_calls(ADD, AFTER);
	execl(program, program, "after", (char *)NULL);
	return unused;
}

static int after_exec(int status)
{
	call(sees_twice, AFTER);
	return status;
}

static int wait_for(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	printf("child: %x\n", (unsigned)status);
	return 0;
}

static int with_child(int status)
{
	pid_t child;

	expect_calls(ADD + CHILD, 0);
	child = fork();
	if (child)
		return wait_for(child);
	call(add_one, CHILD);
	_exit(status);
}

static int with_other_program(int unused)
{
	pid_t child;

	expect_calls(ADD, AFTER);
	child = fork();
	if (child)
		return wait_for(child);
	execl(program, program, "after", (char *)NULL);
	return unused;
}

static const struct {
	const char *name;
	int (*run)(int number);
} ways[] = {
	{ "exit", normally },   { "_exit", at_once },
	{ "abort", by_abort },  { "signal", by_signal },
	{ "exec", by_exec },    { "after", after_exec },
	{ "fork", with_child }, { "spawn", with_other_program },
};

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	program = argc > 3 ? argv[3] : argv[0];
	if (strcmp(way, "after") != 0)
		call(add_one, ADD);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(way, ways[i].name) == 0)
			return ways[i].run(number);
	printf("there is no way to end called '%s'\n", way);
	return 99;
}
