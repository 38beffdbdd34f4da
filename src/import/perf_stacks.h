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

/* A walker takes 0.4 MB, and a build has thousands of processes, few of which run at once. */
#define PERF_WALKERS 64

/* A walker with the code of a process of the draft. */
struct perf_code {
	struct walker walker;
	uint32_t process;
	size_t map_count; /* of its mappings that the walker knows */
	uint64_t used;    /* number of its last walk */
};

/* Starts with its first member; free with perf_stacks_free(). */
struct perf_stacks {
	struct perf_places *places;
	struct images images;
	struct perf_code codes[PERF_WALKERS]; /* of the processes that were walked last */
	size_t count;
	uint64_t walks;
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
