/* SPDX-License-Identifier: MIT
 *
 * timebase.h - which clock a recording counts in, and what it shows now. For the tools.
 */
#ifndef DWELL_RECORDING_MAKE_TIMEBASE_H
#define DWELL_RECORDING_MAKE_TIMEBASE_H

#include <stdbool.h>

#include "base/err.h"
#include "recording/format.h"

/* The cheapest that can be trusted here. DWELL_CLOCK=ns or ticks in the environment decides
 * instead. */
int timebase_choose(enum record_clock *clock, struct err *err);

/* One instant on that clock and on CLOCK_MONOTONIC_RAW. */
struct record_instant timebase_now(enum record_clock clock);

/* Which boot of the machine this is; false: nobody knows. */
bool timebase_boot_id(uint8_t id[16]);

#endif
