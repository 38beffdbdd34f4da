/* SPDX-License-Identifier: MIT
 *
 * test_registers.c - every way in and out of a wrapped call preserves registers: all possible
 * arguments on the way in, all possible results on the way out, and the caller's own.
 */
#include "../apart.h"
#include "../runtime/calls/wrapped.h"
#include "registers.h"

static void check(void *function, int times, const char *which)
{
	bool arguments = true, others = true, results = true, kept = true, modes = true;

	for (int i = 0; i < times; i++) {
		struct registers given, got;

		fill(&given);
		fill(&registers_results);
		memset(&registers_arrived, 0, sizeof(registers_arrived));
		memset(&got, 0, sizeof(got));
		registers_call(function, &given, &got);
		arguments = arguments_arrive(&given) && arguments;
		others = others_arrive(&given) && others;
		results = results_come_back(&got) && results;
		kept = are_kept(&given, &registers_arrived) && are_kept(&given, &got) && kept;
		modes = modes_are_kept(&got) && modes;
	}
	ok(arguments, "%s: all arguments arrive, in registers and on the stack", which);
	ok(others, "%s: so do other registers that the function reads", which);
	ok(results, "%s: all results come back", which);
	ok(kept, "%s: the caller's registers are kept", which);
	ok(modes, "%s: and how the CPU rounds", which);
}

/* The first call starts the runtime; the second makes the record's histogram. */
static void check_flags(uint32_t flags, uint32_t clock, const char *which)
{
	void *wrapped_function;

	wrapped_begin_with(flags, clock);
	wrapped_function = wrap_as((void *)registers_function, "registers_function", 0);
	check(wrapped_function, 1, "the first call");
	check(wrapped_function, 5000, which);
	ok(SEEN_BY_ALL(wrapped_function).calls == 5001, "and it was through the wrapper");
}

static void unwrapped(void)
{
	check((void *)registers_function, 1000, "without a wrapper");
}

static void timed(void)
{
	check_flags(0, RECORD_CLOCK_TICKS, "timed");
}

static void timed_in_c(void)
{
	check_flags(0, RECORD_CLOCK_NS, "timed in C");
}

static void counted(void)
{
	check_flags(RECORD_COUNT_ONLY, RECORD_CLOCK_TICKS, "counted");
}

static void counted_in_c(void)
{
	check_flags(RECORD_COUNT_ONLY | RECORD_BY_CALLER, RECORD_CLOCK_TICKS, "counted in C");
}

static void sampled(void)
{
	check_flags(RECORD_SAMPLE_TIMING, RECORD_CLOCK_TICKS, "sampled");
}

static void sampled_by_caller(void)
{
	check_flags(RECORD_SAMPLE_TIMING | RECORD_BY_CALLER, RECORD_CLOCK_TICKS,
		    "sampled, by caller");
}

/* A child that is not followed has jumps for all of its ways in. */
static void plain(void)
{
	void *wrapped_function;
	pid_t child;

	wrapped_begin_with(RECORD_NO_FOLLOW, RECORD_CLOCK_TICKS);
	wrapped_function = wrap_as((void *)registers_function, "registers_function", 0);
	check(wrapped_function, 10, "before a fork");
	child = apart_fork();
	if (child == 0) {
		struct registers given, got;

		fill(&given);
		fill(&registers_results);
		registers_call(wrapped_function, &given, &got);
		_exit(arguments_arrive(&given) && others_arrive(&given) &&
				      results_come_back(&got) &&
				      are_kept(&given, &registers_arrived) && are_kept(&given, &got)
			      ? 0
			      : 1);
	}
	ok(apart_wait(child) == 0, "behind it, where nothing is counted, all is kept too");
}

int main(void)
{
	apart("without a wrapper", unwrapped);
	apart("timed", timed);
	apart("timed in C", timed_in_c);
	apart("counted", counted);
	apart("counted in C", counted_in_c);
	apart("sampled", sampled);
	apart("sampled, by caller", sampled_by_caller);
	apart("plain", plain);
	return tap_done();
}
