/* SPDX-License-Identifier: MIT
 *
 * format_event.h - the event that samples count, in place of CPU time; the rest of format.h.
 * Include that.
 */
#ifndef DWELL_RECORDING_FORMAT_EVENT_H
#define DWELL_RECORDING_FORMAT_EVENT_H

#include "recording/format.h"

enum record_event_flags {
	RECORD_EVENT_NO_USER = 1,   /* not counted in user code */
	RECORD_EVENT_NO_KERNEL = 2, /* not counted in the kernel */
};

/* The type of an event that is not the kernel's, in an imported recording. */
#define RECORD_EVENT_FOREIGN UINT32_MAX

/* In a SETUP, as its first item: weights of samples are counts of this event, where others are
 * nanoseconds. Without it, they are time. */
struct record_event {
	struct record_item item;
	uint32_t type;  /* as in struct perf_event_attr, and so is config */
	uint32_t flags; /* enum record_event_flags */
	uint64_t config[3];
	uint64_t period; /* events per sample; 0: as many as lead to header.hz samples a second */
	char text[];     /* its name, as the user wrote it, with its final 0 */
};
_Static_assert(sizeof(struct record_event) % 8 == 0, "items are aligned to 8 bytes");

#endif
