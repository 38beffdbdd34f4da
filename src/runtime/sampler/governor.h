/* SPDX-License-Identifier: MIT
 *
 * governor.h - limits the share of a thread's CPU time that its ticks take.
 *
 * A tick that takes longer than the clock's period is followed by the next one at once: it is
 * pending when the handler returns. The program would never execute another instruction, and would
 * not even get a signal meant to end it. The time of a tick is unpredictable: a stack may be deep,
 * caches cold, memory far. So some ticks are timed, and if handlers take more than a third of the
 * thread's CPU time, its clock runs at half the rate, a quarter, ...
 *
 * Why a third: the time that the kernel needs to interrupt the thread and to deliver the signal
 * cannot be measured from inside. At the highest rate allowed, it may be another third; so a third
 * is left to the program even there, and nearly two thirds at lower rates.
 *
 * Time is CPU time of the thread, so the load of the machine does not matter. The governor does not
 * affect sums: clocks bill CPU time, not ticks.
 */
#ifndef DWELL_RUNTIME_SAMPLER_GOVERNOR_H
#define DWELL_RUNTIME_SAMPLER_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#define GOVERNOR_PACE_MAX 10 /* 2^10 ticks */

/*
 * The state of a thread, written by its handler alone. Starts as all zeroes. Small, so that the
 * record of a thread stays in one cache line.
 */
struct governor {
	uint32_t since_us; /* start of the last tick that was timed, if has_since; wraps around */
	uint32_t has_since : 1;
	uint32_t pace : 4;           /* the clock ticks every 2^pace ticks */
	uint32_t ticks : 4;          /* since then */
	uint32_t timed : 4;          /* ticks of this window */
	uint32_t dear : 4;           /* expensive ones among them */
	uint32_t slower : 4;         /* the pace that is slow enough for the cheapest of these */
	uint32_t cheap_in_a_row : 4; /* ticks that would be cheap at twice the rate as well */
	uint32_t faster : 4; /* the pace that is slow enough for the most expensive of these */
};

/* Counts a tick. Returns whether it is to be timed. Async-signal-safe, as all functions here. */
bool governor_wants(struct governor *governor);

/*
 * Notes the start and end, on the thread's CPU clock, of a tick for which governor_wants() returned
 * true. Returns whether the pace has changed.
 */
bool governor_timed(struct governor *governor, int64_t began_ns, int64_t ended_ns,
		    uint64_t tick_ns);

#endif
