/* SPDX-License-Identifier: MIT
 *
 * piece_losses.h - losses of each run of a recording.
 */
#ifndef DWELL_FLEET_PIECE_LOSSES_H
#define DWELL_FLEET_PIECE_LOSSES_H

#include "recording/read/runs.h"

struct piece_losses {
	uint64_t samples, samples_ns;       /* that did not fit */
	uint64_t unwatched_ns;              /* CPU time that could not be sampled */
	uint64_t calls, threads, functions; /* that were not counted */
};

/* Returns the losses of each run, at least one, in an array; free with free(). NULL: no memory. */
struct piece_losses *piece_losses_find(const struct reader *reader, const struct runs *runs);

#endif
