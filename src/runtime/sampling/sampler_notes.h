/* SPDX-License-Identifier: MIT
 *
 * sampler_notes.h - sums that ticks keep in the SAMPLER of their process. sampler: NULL if the
 * recording had no space for one. Any context.
 */
#ifndef DWELL_RUNTIME_SAMPLING_SAMPLER_NOTES_H
#define DWELL_RUNTIME_SAMPLING_SAMPLER_NOTES_H

#include "recording/format.h"

/* Notes a sample that could not be written. */
void sampler_notes_lost(struct record_sampler *sampler, uint64_t ns);

/* Notes that timers brought a sample: they expire at the kernel's tick, and so no more often. */
void sampler_notes_coarse(struct record_sampler *sampler, uint64_t ns);

/* Notes that the rate of a thread is lower than requested: see governor.h. */
void sampler_notes_pace(struct record_sampler *sampler, uint32_t pace, uint64_t ns);

/* Returns the time of children of the same parent that ended before a tick, which this child
 * reports: the shorter they are, the fewer of them are interrupted, so that these stand for all. */
uint64_t sampler_notes_take_unsampled(struct record_sampler *parent);

#endif
