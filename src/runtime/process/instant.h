/* SPDX-License-Identifier: MIT
 *
 * instant.h - the time, in the unit of the recording. Any context.
 */
#ifndef DWELL_RUNTIME_PROCESS_INSTANT_H
#define DWELL_RUNTIME_PROCESS_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

struct record_header;

/* Selects the clock (enum record_clock); call this first. */
void instant_init(uint32_t clock);

/*
 * Does the same for a recorded program. Returns whether the counter can be read: exec() does not
 * lift a ban.
 */
bool instant_begin(const struct record_header *header);

uint64_t instant_now(void);

/* Stops reading the counter. If the counter is the clock, the time stays `at`. */
void instant_stand(uint64_t at);

#endif
