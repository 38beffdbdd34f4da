/* SPDX-License-Identifier: MIT
 *
 * handover.h - the CPU time that a thread has used since it became this program. exec() does not
 * reset the kernel's counters, so the previous program notes them in the recording.
 */
#ifndef DWELL_RUNTIME_SAMPLING_HANDOVER_H
#define DWELL_RUNTIME_SAMPLING_HANDOVER_H

#include <stdint.h>

/* Leaves a note, when the calling thread is about to exec. */
void handover_leave(void);

/*
 * Takes the note in the new program, whose linker has loaded so many objects. Returns the ns used
 * since then.
 */
int64_t handover_take(unsigned objects);

#endif
