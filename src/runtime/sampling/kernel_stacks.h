/* SPDX-License-Identifier: MIT
 *
 * kernel_stacks.h - the functions of the kernel that a thread was in when its event happened, from
 * the ring of the event. One signal stands for all times that it happened on one way through the
 * kernel, perhaps in different functions: each has an equal share of the weight of the tick.
 */
#ifndef DWELL_RUNTIME_SAMPLING_KERNEL_STACKS_H
#define DWELL_RUNTIME_SAMPLING_KERNEL_STACKS_H

#include "perf_ring.h"
#include "recording/write/stacks.h"
#include "writers.h"

/* Writes the samples of a tick, of this weight together; the writer has the stack in the program,
 * just numbered. Returns false if the recording has no space. */
bool kernel_stacks_write(struct stacks *stacks, struct writer *writer, const struct thread *thread,
			 uint64_t ns, uint64_t time);

/* Notes that all that is in the ring now was caused by the tick itself. */
void kernel_stacks_done(struct writer *writer, const struct thread *thread);

#endif
