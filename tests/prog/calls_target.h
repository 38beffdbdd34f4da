/* SPDX-License-Identifier: MIT
 *
 * calls_target.h - the common part of the targets of tests/torture/calls.py. A target is run as
 *
 *	TARGET EXPECTATIONS SCENARIO [ARGUMENT]
 *
 * does what the scenario says, prints what a user of it would look at on stdout, and writes to the
 * file EXPECTATIONS what a profiler must find, a line for each function:
 *
 *	[child ]FUNCTION calls=N [returned=N] [escaped=N] [abandoned=N] [untimed=N] [running=N]
 *
 * N is a number, a range LOW..HIGH, or `?` where it is not determined. A count that is left out is
 * 0, and `returned` is the rest of `calls`. Lines that name the same function add up.
 *
 * `child` marks calls in a child, which --no-follow must leave out. FUNCTION may also be
 * OBJECT:FUNCTION or OBJECT:*, and `lost` for calls that the profiler reports as lost.
 */
#ifndef DWELL_TESTS_CALLS_TARGET_H
#define DWELL_TESTS_CALLS_TARGET_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define UNUSED   __attribute__((unused))

struct scenario {
	const char *name;
	void (*run)(void);
};

static const char *target_path, *expectations_path, *scenario_name, *scenario_argument;

/* Opened anew each time: some scenarios close every descriptor, and children write as well. */
__attribute__((format(printf, 1, 2))) static UNUSED void expect(const char *format, ...)
{
	char line[256];
	va_list args;
	int length, file = open(expectations_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	va_start(args, format);
	length = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	line[length++] = '\n';
	if (file < 0 || write(file, line, (size_t)length) != length) {
		fprintf(stderr, "cannot write to %s\n", expectations_path);
		_exit(3);
	}
	close(file);
}

/* Ends with the status of a skipped test, and prints why. */
__attribute__((noreturn)) static UNUSED void skip_scenario(const char *why)
{
	printf("%s\n", why);
	fflush(stdout);
	_exit(77);
}

__attribute__((noreturn)) static UNUSED void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(3);
}

static NOINLINE int run_scenario(int argc, char **argv, const struct scenario *table, size_t count)
{
	/* Lines are written as they come, so that fork() copies none and a killed target loses
	 * none. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc >= 3) {
		target_path = argv[0];
		expectations_path = argv[1];
		scenario_name = argv[2];
		scenario_argument = argc > 3 ? argv[3] : "";
		for (size_t i = 0; i < count; i++) {
			if (strcmp(table[i].name, argv[2]) == 0) {
				table[i].run();
				return 0;
			}
		}
	}
	fprintf(stderr, "usage: %s EXPECTATIONS SCENARIO [ARGUMENT]\n", argv[0]);
	return 2;
}

/* As the last thing in a file: main() picks from the array. */
#define MAIN_OF(table)                                                                             \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return run_scenario(argc, argv, table, sizeof(table) / sizeof((table)[0]));        \
	}

#endif
