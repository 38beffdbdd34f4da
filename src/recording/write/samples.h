/* SPDX-License-Identifier: MIT
 *
 * samples.h - writes the samples of a thread to the recording. A sample is visible as soon as
 * samples_add() returns. A writer belongs to one thread; it may be used in signal handlers.
 */
#ifndef DWELL_RECORDING_WRITE_SAMPLES_H
#define DWELL_RECORDING_WRITE_SAMPLES_H

#include <stdbool.h>

#include "room.h"

struct samples_writer {
	struct room *room;
	struct record_samples *item; /* being filled; NULL: none */
	uint32_t item_room;          /* capacity of the next one */
	uint64_t reached;            /* time of the last sample */

	/* For further samples: */
	uint32_t weight_ns; /* a unit of weight */
	int64_t rest_ns;    /* less than a unit, or billed in advance: added to the next sample */
	uint32_t tid;
	char name[20]; /* of the thread */
};

/* Switches to the samples of another thread, whose name the caller sets. */
void samples_begin(struct samples_writer *writer, uint32_t tid);

/* Adds a sample: a frame's number, perhaps with RECORD_SAMPLE_BLOCKED; a weight in units; the time
 * in the recording's clock. False: no space in the recording. */
bool samples_add(struct samples_writer *writer, uint32_t frame, uint64_t weight, uint64_t time);

/* Adds one with a weight in nanoseconds, without rounding loss. A weight too large for the unit
 * enlarges the unit, for this sample and those to come. */
bool samples_add_ns(struct samples_writer *writer, uint32_t frame, uint64_t ns, uint64_t time);

/* Returns the frame of the thread's last sample; RECORD_FRAME_LAST(0): there is none. */
uint32_t samples_last(const struct samples_writer *writer);

/* Adds to the weight of the thread's last sample, or subtracts. Returns the amount it could not
 * apply: all of it without a sample, otherwise the part beyond the largest weight. */
int64_t samples_adjust(struct samples_writer *writer, int64_t ns);

#endif
