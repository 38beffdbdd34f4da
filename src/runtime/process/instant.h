/* SPDX-License-Identifier: MIT
 *
 * instant.h - the time, in the unit of the recording. May be asked for in any context.
 */
#ifndef DWELL_RUNTIME_PROCESS_INSTANT_H
#define DWELL_RUNTIME_PROCESS_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

struct record_header;

/* Before the first question: enum record_clock. */
void instant_init(uint32_t clock);

/* The same for a program that is recorded. Returns whether the counter can be read: exec() does not
 * permit again what was forbidden. */
bool instant_begin(const struct record_header *header);

uint64_t instant_now(void);

/* From now on, the counter is not read any more. If it is what tells the time, it is `at` for ever.
 */
void instant_stand(uint64_t at);

#endif
