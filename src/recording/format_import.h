/* SPDX-License-Identifier: MIT
 *
 * format_import.h - the item that imported recordings alone have; the rest of format.h. Include
 * that.
 */
#ifndef DWELL_RECORDING_FORMAT_IMPORT_H
#define DWELL_RECORDING_FORMAT_IMPORT_H

#include "recording/format.h"

/* Samples of one stack that another tool has counted. */
struct record_sum {
	uint32_t frame; /* the innermost one */
	uint32_t reserved;
	uint64_t time;    /* of the first one, in the header's clock */
	uint64_t samples; /* from then on; their number */
	uint64_t ns;      /* that they stand for */
};

/* Samples of a thread that were imported, in place of SAMPLES: their numbers and times have the
 * precision of the foreign file. */
struct record_sums {
	struct record_item item;
	uint32_t tid;
	uint32_t count;
	char name[32]; /* of the thread */
	struct record_sum sums[];
};
_Static_assert(sizeof(struct record_sums) % 8 == 0 && sizeof(struct record_sum) % 8 == 0,
	       "items are aligned to 8 bytes");

#endif
