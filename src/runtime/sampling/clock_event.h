/* SPDX-License-Identifier: MIT
 *
 * clock_event.h - an event of the kernel in place of CPU time: page faults, cycles, cache misses.
 */
#ifndef DWELL_RUNTIME_SAMPLING_CLOCK_EVENT_H
#define DWELL_RUNTIME_SAMPLING_CLOCK_EVENT_H

#include "recording/format.h"
#include "runtime/sampler/clock.h"

extern const struct clock clock_event;

/* Chooses the event; before the clock is opened. hz: samples per second, if it has no period.
 * has_chains: its ring has stacks of the kernel. */
void clock_event_choose(const struct record_event *event, uint32_t hz, bool has_chains);

#endif
