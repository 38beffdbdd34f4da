/* SPDX-License-Identifier: MIT
 *
 * tail_chain.h - the segments of one writer, as tail.c follows them.
 */
#ifndef DWELL_RECORDING_READ_TAIL_CHAIN_H
#define DWELL_RECORDING_READ_TAIL_CHAIN_H

#include "tail.h"

/* One pass over a recording. */
struct tail_reading {
	struct tail *tail;
	const struct tail_sink *sink;
	uint64_t until; /* later samples are left to the next pass */
};

/* Returns 0 or -errno. */
int tail_chain_add(struct tail_chain *chain, const struct tail_segment *segment, struct err *err);
void tail_chain_fini(struct tail_chain *chain);

/* Hands out what is new in a thread: samples, frames; or in a process: its data and mappings.
 * Returns 0 or -errno. */
int tail_chain_read_samples(struct tail_reading *reading, struct tail_chain *chain,
			    struct err *err);
int tail_chain_read_frames(struct tail_reading *reading, struct tail_chain *chain, struct err *err);
int tail_chain_read_names(struct tail_reading *reading, struct tail_chain *chain, struct err *err);

/* Gives back everything that is not written any more; or all. */
void tail_chain_recycle(struct tail *tail, struct tail_chain *chain);
void tail_chain_give_back(struct tail *tail, struct tail_chain *chain);

/* Returns the number of samples for which its process had no space. */
uint64_t tail_chain_lost(const struct tail *tail, const struct tail_chain *chain);

#endif
