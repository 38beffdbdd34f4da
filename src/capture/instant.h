/* SPDX-License-Identifier: MIT
 *
 * instant.h - the time, in the unit of the recording. May be asked for in any context.
 */
#ifndef DWELL_CAPTURE_INSTANT_H
#define DWELL_CAPTURE_INSTANT_H

#include <stdint.h>

/* Before the first question: enum record_clock. */
void instant_init(uint32_t clock);

uint64_t instant_now(void);

#endif
