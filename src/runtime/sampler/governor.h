/* SPDX-License-Identifier: MIT
 *
 * governor.h - how much of a thread's CPU time its ticks may take.
 *
 * A tick that takes longer than the clock's period is followed by the next one at once: it is
 * pending when the handler returns. The program would never execute another instruction, and would
 * not even get the signal that is to end it. How long a tick takes nobody knows beforehand: a stack
 * may be deep, caches cold, memory far. So now and then a tick is timed, and where handlers take
 * more than a third of the thread's CPU time, its clock runs at half the rate, a quarter, ...
 *
 * Why a third: what the kernel needs to interrupt the thread and to deliver the signal cannot be
 * seen from inside. At the highest rate that can be asked for, it may be another third; so a third
 * is left to the program even there, and nearly two thirds at lower rates.
 *
 * Time is CPU time of the thread, so it does not matter how busy the machine is. Sums are none of
 * the governor's business: clocks bill CPU time, not ticks.
 */
#ifndef DWELL_RUNTIME_SAMPLER_GOVERNOR_H
#define DWELL_RUNTIME_SAMPLER_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#define GOVERNOR_PACE_MAX 10 /* 2^10 ticks */

/* Of a thread, whose handler alone writes it. Starts as all zeroes. Small, so that a record of a
 * thread stays in one cache line. */
struct governor {
	uint32_t since_us; /* when the last tick that was timed began, if has_since; wraps around */
	uint32_t has_since : 1;
	uint32_t pace : 4;           /* the clock is to tick every 2^pace ticks */
	uint32_t ticks : 4;          /* since then */
	uint32_t timed : 4;          /* ticks of this window */
	uint32_t dear : 4;           /* those of them that took too long */
	uint32_t slower : 4;         /* the pace that is slow enough for the cheapest of these */
	uint32_t cheap_in_a_row : 4; /* ticks that would be cheap at twice the rate as well */
	uint32_t faster : 4;         /* the pace that is slow enough for the dearest of these */
};

/* A tick has come. Whether it is one to be timed. Async-signal-safe, as all of this. */
bool governor_wants(struct governor *governor);

/* That tick, for which governor_wants() said yes, has lasted from one time on the thread's CPU
 * clock to another. Whether the pace has changed. */
bool governor_timed(struct governor *governor, int64_t began_ns, int64_t ended_ns,
		    uint64_t tick_ns);

#endif
