/* SPDX-License-Identifier: MIT
 *
 * perf_stacks.h - stacks of `perf record --call-graph dwarf`: a sample has registers and a copy of
 * the memory above the stack pointer, which are walked by the call frame information of the files
 * on this machine, as those of attached processes are.
 */
#ifndef DWELL_IMPORT_PERF_STACKS_H
#define DWELL_IMPORT_PERF_STACKS_H

#include "attach/walker.h"
#include "perf_places.h"
#include "perf_record.h"

/* The code of a process of the draft. */
struct perf_code {
	struct walker walker;
	size_t map_count; /* of its mappings that the walker knows */
};

/* Starts with its first member; free with perf_stacks_free(). */
struct perf_stacks {
	struct perf_places *places;
	struct images images;
	struct perf_code *codes; /* of each process of the draft */
	size_t count;
	struct walker_frames *frames; /* the current stack */
};

/* Refuses stacks of another CPU, whose registers have other numbers. */
int perf_stacks_check(const struct perf_file *perf, struct err *err);

/* Walks the stack of a sample with a copy. `mask` has a bit for each register in it. Returns the
 * frames, which are valid until the next walk; none if registers are missing. NULL: no memory. */
const struct walker_frames *perf_stacks_walk(struct perf_stacks *stacks, uint32_t process,
					     uint64_t mask, const struct perf_sample *sample,
					     struct err *err);
void perf_stacks_free(struct perf_stacks *stacks);

#endif
