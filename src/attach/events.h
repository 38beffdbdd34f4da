/* SPDX-License-Identifier: MIT
 *
 * events.h - applies each event to the known processes.
 */
#ifndef DWELL_ATTACH_EVENTS_H
#define DWELL_ATTACH_EVENTS_H

#include "attach/attach_state.h"

void events_take(struct attach *attach, const struct event *event);

/* Compares the known threads with /proc, in case events were lost. */
void events_check(struct attach *attach);

/*
 * Counts what had no room in a ring and was not announced: the kernel does that with the next event
 * that has room, and there is none any more.
 */
void events_end(struct attach *attach);

#endif
