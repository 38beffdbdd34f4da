/* SPDX-License-Identifier: MIT
 *
 * sampling_event.h - options that choose an event in place of CPU time: -e and -c.
 */
#ifndef DWELL_CLI_RUN_SAMPLING_EVENT_H
#define DWELL_CLI_RUN_SAMPLING_EVENT_H

#include "pmu/pmu_event.h"

/* Starts as all zeroes: CPU time. Free with pmu_events_free(&event.list). */
struct sampling_event {
	struct pmu_events list; /* at most one */
	uint64_t period;        /* 0: not given */
};

/* Return 0, or the exit status after an error message on stderr. */
int sampling_event_take(struct sampling_event *event, const char *verb, const char *value);
int sampling_event_take_period(struct sampling_event *event, const char *verb, const char *value);

/* Checks that this machine can interrupt programs by the event, and notes what it does not count;
 * inside: programs interrupt themselves. Returns the same. */
int sampling_event_check(const struct sampling_event *event, const char *verb, bool inside);

/* Notes on stderr if the kernel's functions may not be seen, or not named, and what permits it. */
void sampling_event_note_kernel(const char *verb, bool inside);

/* Returns the event; NULL: CPU time. */
static inline const struct pmu_event *sampling_event_of(const struct sampling_event *event)
{
	return event->list.count ? &event->list.events[0] : NULL;
}

#endif
