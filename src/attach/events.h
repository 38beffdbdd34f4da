/* SPDX-License-Identifier: MIT
 *
 * events.h - what each event means for what is known of the processes.
 */
#ifndef DWELL_ATTACH_EVENTS_H
#define DWELL_ATTACH_EVENTS_H

#include "attach/attach_state.h"

void events_take(struct attach *attach, const struct event *event);

/* Compares what is known with what /proc says, in case that events were lost. */
void events_check(struct attach *attach);

#endif
