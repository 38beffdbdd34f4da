/* SPDX-License-Identifier: MIT
 *
 * sink.h - where ticks go: the histogram of profil(), the regions of sprofil(), the array of
 * pcsample().
 */
#ifndef DWELL_CAPTURE_SINK_H
#define DWELL_CAPTURE_SINK_H

#include <stdbool.h>
#include <stdint.h>

enum sink_answer {
	SINK_COUNTED,
	SINK_OUTSIDE, /* fine, but the pc belongs to no counter */
	SINK_DONE     /* full, or its memory is gone: it takes no more, profiling is over */
};

struct sink {
	/* Runs in the signal handler, on any thread, several at once. */
	enum sink_answer (*take)(struct sink *sink, uintptr_t pc, uint64_t weight);

	/* Whether the child of a fork goes on counting, in its own copy of the memory. */
	bool follows_fork;
};

#endif
