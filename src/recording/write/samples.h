/* SPDX-License-Identifier: MIT
 *
 * samples.h - writes the samples of a thread to the recording. A sample is there as soon as
 * samples_add() is done. A writer is one thread's alone; it may be used in signal handlers.
 */
#ifndef DWELL_RECORDING_WRITE_SAMPLES_H
#define DWELL_RECORDING_WRITE_SAMPLES_H

#include <stdbool.h>

#include "room.h"

struct samples_writer {
	struct room *room;
	struct record_samples *item; /* that is being filled; NULL: none */
	uint32_t item_room;          /* of the next one */
	uint64_t reached;            /* the time that the last sample was given */

	/* Of the samples to come: */
	uint32_t weight_ns; /* a unit of weight */
	int64_t rest_ns;    /* less than a unit, or billed in advance: the next sample has it */
	uint32_t tid;
	char name[20]; /* of the thread */
};

/* The samples that follow are another thread's, whose name the caller sets. */
void samples_begin(struct samples_writer *writer, uint32_t tid);

/* A frame's number, perhaps with RECORD_SAMPLE_BLOCKED; a weight in units; the time in the
 * recording's clock. False: there is no room in the recording. */
bool samples_add(struct samples_writer *writer, uint32_t frame, uint64_t weight, uint64_t time);

/* The same with a weight in nanoseconds, of which none is lost by rounding. A weight that is too
 * large for the unit makes that larger, for this sample and those to come. */
bool samples_add_ns(struct samples_writer *writer, uint32_t frame, uint64_t ns, uint64_t time);

/* Adds to the weight of the thread's last sample, or takes from it. Returns what it could not take:
 * all of it if there is no sample, what is beyond the largest weight otherwise. */
int64_t samples_adjust(struct samples_writer *writer, int64_t ns);

#endif
