/* SPDX-License-Identifier: MIT */
#include "governor.h"

#include "tick_path.h"

/* Reading the CPU clock is a system call: at the full rate, every fourth tick is timed. */
#define STRIDE 4

/* A tick is expensive if its handler takes more than 1/SHARE of the time between ticks. */
#define SHARE 3

/*
 * Three of four expensive ones slow the clock down: one or two may have been the first in new code.
 * It takes a few more to speed it up, since each change costs several system calls.
 */
#define WINDOW         4
#define DEAR_TO_SLOW   3
#define CHEAP_TO_HURRY 8

TICK_PATH bool governor_wants(struct governor *governor)
{
	governor->ticks++;
	return governor->pace || governor->ticks >= STRIDE;
}

static void begin_window(struct governor *governor)
{
	governor->timed = 0;
	governor->dear = 0;
	governor->slower = GOVERNOR_PACE_MAX;
}

static void begin_row(struct governor *governor)
{
	governor->cheap_in_a_row = 0;
	governor->faster = 0;
}

/* Returns the fastest pace at which a tick takes at most its share of the time. */
static unsigned int pace_for(int64_t took_ns, uint64_t tick_ns, unsigned int part)
{
	unsigned int pace = 0;

	while (pace < GOVERNOR_PACE_MAX && (tick_ns << pace) / part < (uint64_t)took_ns)
		pace++;
	return pace;
}

static bool set_pace(struct governor *governor, unsigned int pace)
{
	if (pace > GOVERNOR_PACE_MAX || pace == governor->pace)
		return false;
	governor->pace = pace & 15;
	governor->has_since = 0; /* the current interval is neither the old nor the new one */
	begin_window(governor);
	begin_row(governor);
	return true;
}

/* Slows down at once as far as necessary: until then the program may stand still. */
static bool slow_down(struct governor *governor)
{
	unsigned int next = governor->pace + 1U;

	return set_pace(governor, governor->slower > next ? governor->slower : next);
}

static void judge(struct governor *governor, int64_t took_ns, int64_t interval_ns, uint64_t tick_ns)
{
	unsigned int pace = pace_for(took_ns, tick_ns, SHARE);

	if (governor->timed == 0 || governor->timed == WINDOW)
		begin_window(governor);
	governor->timed++;
	if (took_ns <= interval_ns / SHARE)
		return;
	governor->dear++;
	if (pace < governor->slower)
		governor->slower = pace & 15;
}

/* Speeds up. Counts half of the allowed time as too much already, to avoid oscillation. */
static bool hurry_up(struct governor *governor, int64_t took_ns, uint64_t tick_ns)
{
	unsigned int pace = pace_for(took_ns, tick_ns, 2 * SHARE);

	if (pace >= governor->pace) {
		begin_row(governor);
		return false;
	}
	if (pace > governor->faster)
		governor->faster = pace & 15;
	governor->cheap_in_a_row++;
	return governor->cheap_in_a_row == CHEAP_TO_HURRY && set_pace(governor, governor->faster);
}

bool governor_timed(struct governor *governor, int64_t began_ns, int64_t ended_ns, uint64_t tick_ns)
{
	uint32_t began_us = (uint32_t)(began_ns / 1000);
	int64_t interval_ns = (int64_t)(began_us - governor->since_us) * 1000;
	int64_t took_ns = ended_ns - began_ns;
	unsigned int ticks = governor->ticks;
	bool is_first = !governor->has_since;

	governor->since_us = began_us;
	governor->has_since = 1;
	governor->ticks = 0;
	if (is_first || took_ns < 0)
		return false;
	judge(governor, took_ns, interval_ns / ticks, tick_ns);
	if (governor->dear == DEAR_TO_SLOW)
		return slow_down(governor);
	return hurry_up(governor, took_ns, tick_ns);
}
