/* SPDX-License-Identifier: MIT
 *
 * walk.h - the stack of a sample: walked from the registers of the interrupted thread, in its
 * handler, by the mappings that mapped.h knows.
 */
#ifndef DWELL_RUNTIME_SAMPLING_WALK_H
#define DWELL_RUNTIME_SAMPLING_WALK_H

#include "recorder.h"
#include "runtime/sampler/sink.h"
#include "writers.h"

/* Allocates what walks need, once. Returns 0 or -ENOMEM. */
int walk_init(const struct recorder_program *program);

/*
 * Returns the stack of a tick, whose frames are in the memory of the writer. Without callers, or
 * without registers, it is the place of the tick alone. In a tick, or under the lock.
 */
struct stack walk_stack(struct writer *writer, const struct sink_ticks *ticks, bool with_callers);

#endif
