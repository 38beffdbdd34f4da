/* SPDX-License-Identifier: MIT
 *
 * merge.h - makes one recording of many. The result has a SETUP for each run, with its labels and
 * its ORIGIN, and each of its processes names the SETUP of its run.
 *
 * One recording at a time is open and in memory; besides, there are the names of all archives, each
 * once, and some 200 bytes for each recording.
 */
#ifndef DWELL_RECORDING_MAKE_MERGE_H
#define DWELL_RECORDING_MAKE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct merge {
	const char *const *paths; /* of the recordings */
	size_t count;             /* at least 1 */
	bool replace;             /* an existing recording */
};

/* Recordings with something in common, and one of them. */
struct merge_some {
	size_t count;
	const char *path;
};

/* Facts about the result that the user should know. */
struct merge_result {
	size_t runs;                  /* more than recordings if some were merged already */
	bool has_new_clock;           /* the recordings have several */
	struct merge_some running;    /* still being written */
	struct merge_some incomplete; /* damaged, or cut short */
	struct merge_some estimated;  /* without the rate of their clock, which matters here */
};

/* Writes the merged recording; it appears when it is complete, or not at all. Fails if a recording
 * is given twice, if it is the output as well, or if they cannot be in one. */
int merge_save(const struct merge *merge, const char *path, struct merge_result *result,
	       struct err *err);

#endif
