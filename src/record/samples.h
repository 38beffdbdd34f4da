/* SPDX-License-Identifier: MIT
 *
 * samples.h - writes the samples of a thread to the recording. A sample is there as soon as
 * samples_add() is done. A writer is one thread's alone; it may be used in signal handlers.
 */
#ifndef DWELL_RECORD_SAMPLES_H
#define DWELL_RECORD_SAMPLES_H

#include <stdbool.h>

#include "record/room.h"

struct samples_writer {
	struct room *room;
	struct record_samples *item; /* that is being filled; NULL: none */
	uint32_t item_room;          /* of the next one */
	uint64_t reached;            /* the time that the last sample was given */

	/* Of the samples to come: */
	uint32_t weight_ns; /* a unit of weight */
	uint32_t tid;
	char name[20]; /* of the thread */
};

/* The samples that follow are another thread's, whose name the caller sets. */
void samples_begin(struct samples_writer *writer, uint32_t tid);

/* A frame's number, perhaps with RECORD_SAMPLE_BLOCKED; a weight in units; the time in the
 * recording's clock. False: there is no room in the recording. */
bool samples_add(struct samples_writer *writer, uint32_t frame, uint64_t weight, uint64_t time);

#endif
