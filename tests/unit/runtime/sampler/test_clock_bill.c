/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "../../random64.h"
#include "runtime/sampler/clock.h"
#include "tap.h"

#define TICK INT64_C(10000000) /* 10 ms */

/* Returns the ticks billed at `now` to a thread that has been billed for `billed`. */
static uint64_t ticks(int64_t billed, int64_t now)
{
	return clock_bill(&billed, now, TICK);
}

static void rounding(void)
{
	ok(ticks(0, TICK) == 1, "a tick of CPU time is one tick");
	ok(ticks(0, 0) == 0, "no time is none");
	ok(ticks(0, TICK / 2) == 1 && ticks(0, TICK / 2 - 1) == 0, "half a tick is rounded up");
	ok(ticks(0, 3 * TICK / 2) == 2 && ticks(0, 3 * TICK / 2 - 1) == 1, "so is one and a half");
	ok(ticks(0, 7 * TICK) == 7, "a tick that is late by six counts seven times");
	ok(ticks(-3 * TICK, TICK) == 4, "debts from before the thread's time are paid");
	ok(ticks(2 * TICK, TICK) == 0, "a thread billed in advance pays nothing");
	ok(ticks(0, INT64_C(315360000) * 1000000000) == INT64_C(31536000000),
	   "ten years of CPU time are counted");
}

static void what_is_billed(void)
{
	int64_t billed = 0;

	clock_bill(&billed, TICK + TICK / 4, TICK);
	ok(billed == TICK, "whole ticks are billed");
	clock_bill(&billed, TICK + TICK / 4, TICK);
	ok(billed == TICK, "nothing is billed twice");
	billed = 5 * TICK;
	clock_bill(&billed, TICK, TICK);
	ok(billed == 5 * TICK, "nothing is given back");
}

/* Whatever the kernel does to single signals, the sum is the CPU time. */
static void the_sum(uint64_t tick_ns)
{
	uint64_t state = tick_ns, sum = 0;
	int64_t billed = 0, now = 0;
	bool close = true;

	for (int i = 0; i < 100000; i++) {
		int64_t off;

		now += (int64_t)random64_below(&state, i % 100 ? 2 * tick_ns : 50 * tick_ns);
		sum += clock_bill(&billed, now, tick_ns);
		off = now - billed;
		close = close && off < (int64_t)(tick_ns + 1) / 2 && off >= -(int64_t)tick_ns / 2;
	}
	ok(close, "after every bill at most half a tick of %" PRIu64 " ns is open", tick_ns);
	ok((int64_t)(sum * tick_ns) == billed, "and the ticks add up to what was billed");
}

/* Returns how often a clock that is off by `per_mille` of a tick has this weight. */
static unsigned int weights_of_clock(int per_mille, uint64_t weight)
{
	int64_t billed = 0, now = 0;
	unsigned int count = 0;

	for (int i = 0; i < 10000; i++) {
		now += TICK + TICK / 1000 * per_mille;
		count += clock_bill(&billed, now, TICK) == weight;
	}
	return count;
}

static void clocks_that_are_off(void)
{
	ok(weights_of_clock(0, 1) == 10000, "a clock that is right weighs 1 each time");
	ok(weights_of_clock(20, 1) == 9800 && weights_of_clock(20, 2) == 200,
	   "one that is slow by 2%% weighs 2 once in fifty times, never 0");
	ok(weights_of_clock(-20, 1) == 9800 && weights_of_clock(-20, 0) == 200,
	   "one that is fast by 2%% weighs 0 once in fifty times, never 2");
}

int main(void)
{
	rounding();
	what_is_billed();
	the_sum(TICK);
	the_sum(50000);   /* 20,000 a second */
	the_sum(1001001); /* 999 a second: odd */
	clocks_that_are_off();
	return tap_done();
}
