/* SPDX-License-Identifier: MIT
 *
 * sent.h - the probe's third method: what a tick takes without the interrupt that brings it.
 */
#ifndef DWELL_BENCH_SENT_H
#define DWELL_BENCH_SENT_H

#include "profilers.h"

/*
 * Sends itself the signal that the profiler ticks by, so many times, and prints what each took, in
 * nanoseconds: "warm" ones one after another, and "cold" ones between which other memory has taken
 * over the caches. NULL, or why that cannot be done.
 */
const char *sent_measure(const struct profiler *profiler, unsigned long count, double ns_per_tsc);

#endif
