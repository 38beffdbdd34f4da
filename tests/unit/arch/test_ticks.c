/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "tap.h"
#include "ticks.h"

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Measures ticks per nanosecond, over 20 ms. */
static double rate(void)
{
	uint64_t ns = now_ns(), ticks = arch_ticks(), passed;

	while ((passed = now_ns() - ns) < 20000000)
		;
	return (double)(arch_ticks() - ticks) / (double)passed;
}

static bool is_steady(void)
{
	double first = rate(), second = rate();

	note("%.4f and %.4f ticks a nanosecond", first, second);
	return second > first * 0.99 && second < first * 1.01;
}

static void goes_on(void)
{
	uint64_t before = arch_ticks();
	bool backwards = false;

	for (int i = 0; i < 1000000; i++) {
		uint64_t now = arch_ticks();

		backwards = backwards || now < before;
		before = now;
	}
	ok(!backwards, "it never goes back");
}

/* Pages that were readable are taken to be so for as long. */
static bool is_brief(void)
{
	double ms = (double)arch_ticks_brief() / rate() / 1e6;

	note("brief: %.3f ms", ms);
	return ms > 0 && ms < 10.1;
}

int main(void)
{
	if (!arch_ticks_steady()) {
		skip("the counter", "the CPU does not say that it is steady");
		return tap_done();
	}
	goes_on();
	ok_in_three(is_steady, "it counts at one rate, within 1 %");
	ok_in_three(is_brief, "a brief time is at most 10 ms");
	return tap_done();
}
