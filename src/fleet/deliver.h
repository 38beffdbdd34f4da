/* SPDX-License-Identifier: MIT
 *
 * deliver.h - one message to a receiver, with as many attempts as it takes and the user allows.
 */
#ifndef DWELL_FLEET_DELIVER_H
#define DWELL_FLEET_DELIVER_H

#include "push.h"

/* Sends a message, again and again with growing pauses while the receiver is away, unless it was so
 * to the end already in this run. Sets the verdict and a sentence about it. Returns an error only
 * if sending is impossible here. */
int deliver(struct push *push, const struct spool_message *message, enum receiver_verdict *verdict,
	    struct err *sentence, struct err *err);

#endif
