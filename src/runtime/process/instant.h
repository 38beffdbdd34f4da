/* SPDX-License-Identifier: MIT
 *
 * instant.h - the time, in the unit of the recording. May be asked for in any context.
 */
#ifndef DWELL_RUNTIME_PROCESS_INSTANT_H
#define DWELL_RUNTIME_PROCESS_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

/* Before the first question: enum record_clock. */
void instant_init(uint32_t clock);

uint64_t instant_now(void);

/* Whether the kernel lets this thread read the CPU's counter, which the vdso does as well. */
bool instant_may_count(void);

/* From now on, the counter is not read any more. If it is what tells the time, it is `at` for ever.
 */
void instant_stand(uint64_t at);

#endif
