/* SPDX-License-Identifier: MIT
 *
 * timebase.h - the clock that a recording counts in, and its current reading. For the tools.
 */
#ifndef DWELL_RECORDING_MAKE_TIMEBASE_H
#define DWELL_RECORDING_MAKE_TIMEBASE_H

#include <stdbool.h>
#include <time.h>

#include "base/err.h"
#include "recording/format.h"

/* Chooses the cheapest reliable clock, or what DWELL_CLOCK=ns or ticks in the environment
 * requests. */
int timebase_choose(enum record_clock *clock, struct err *err);

/* Returns one instant on that clock and on CLOCK_MONOTONIC_RAW, or on another. */
struct record_instant timebase_now(enum record_clock clock);
struct record_instant timebase_beside(enum record_clock clock, clockid_t other);

/* Returns the id of the machine's current boot; false: unknown. */
bool timebase_boot_id(uint8_t id[16]);

#endif
