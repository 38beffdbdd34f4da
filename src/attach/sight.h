/* SPDX-License-Identifier: MIT
 *
 * sight.h - what each event means for what is known of the processes.
 */
#ifndef DWELL_ATTACH_SIGHT_H
#define DWELL_ATTACH_SIGHT_H

#include "attach/attach_state.h"

void sight_take(struct attach *attach, const struct event *event);

/* Compares what is known with what /proc says, in case that events were lost. */
void sight_check(struct attach *attach);

#endif
