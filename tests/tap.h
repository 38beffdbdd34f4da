/* SPDX-License-Identifier: MIT
 *
 * tap.h - the few functions that tests use. Prints the Test Anything Protocol, which Meson reads; a
 * test program ends with `return tap_done();`.
 */
#ifndef DWELL_TESTS_TAP_H
#define DWELL_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_points, tap_failures;

/* Reports one point: the condition, and its description. Returns the condition. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool holds, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", holds ? "ok" : "not ok", ++tap_points);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	tap_failures += !holds;
	return holds;
}

/* Reports a point that cannot be tested here, and why. */
static inline void skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_points, what, why);
	fflush(stdout);
}

/* Prints a note beside the points, above all the figures of a failed one. */
__attribute__((format(printf, 1, 2))) static inline void note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/* Ends a test that cannot even begin. */
__attribute__((noreturn)) static inline void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

/* Reports a statistical point, which may miss the tolerance by chance: it is measured up to three
 * times before it fails. The tolerance is never widened. `measure` returns true if it held. */
static inline bool ok_in_three(bool (*measure)(void), const char *what)
{
	for (int attempt = 1; attempt <= 3; attempt++) {
		if (measure())
			return ok(true, "%s", what);
		note("attempt %d of 3 missed: %s", attempt, what);
	}
	return ok(false, "%s", what);
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_points);
	return tap_failures ? 1 : 0;
}

#endif
