/* SPDX-License-Identifier: MIT
 *
 * handover.h - how much CPU time a thread has used since it became this program. exec() does not
 * reset what the kernel counts, so the program before notes it in the recording.
 */
#ifndef DWELL_RUNTIME_SAMPLING_HANDOVER_H
#define DWELL_RUNTIME_SAMPLING_HANDOVER_H

#include <stdint.h>

/* The calling thread is about to exec. */
void handover_leave(void);

/* In the program that it has become, with so many objects for its linker: so many ns since then. */
int64_t handover_take(unsigned objects);

#endif
