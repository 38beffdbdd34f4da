/* SPDX-License-Identifier: MIT
 *
 * piece.h - a recording as rows of tables, by the runs that it contains: how often each stack was
 * seen in each window of time, and the calls of each function.
 */
#ifndef DWELL_FLEET_PIECE_H
#define DWELL_FLEET_PIECE_H

#include "origin_labels.h"
#include "piece_calls.h"
#include "piece_losses.h"

/* Chunks are cut where an hour ends, so that they are the same with any window. */
#define PIECE_HOUR_S 3600

/* The default window. */
#define PIECE_WINDOW_S 10

struct piece_row {
	uint32_t origin;
	uint32_t win;   /* its start, in seconds of the epoch */
	uint64_t stack; /* its hash */
	uint32_t node;  /* of the profile; any of those with this hash */
	uint64_t count, ns;
};

struct piece {
	const struct profile *profile; /* NULL: no samples */
	uint64_t *hashes;              /* per node of the profile */
	struct origin_labels *origins; /* one per run */
	size_t origin_count;
	struct piece_losses *losses; /* one per run */
	struct piece_row *rows;      /* by origin, hour, stack and window; each combination once */
	size_t count;
	struct piece_calls calls;
	uint32_t window_s;
};

struct piece_options {
	uint32_t window_s;               /* divides PIECE_HOUR_S */
	const struct label_list *labels; /* given by the user */
};

/* Sums up a profile that keeps its samples, and may be NULL, and all calls; profile and reader must
 * outlive the result. On success, free with piece_free(). */
int piece_make(struct piece *piece, const struct reader *reader, const struct profile *profile,
	       const struct piece_options *options, struct err *err);
void piece_free(struct piece *piece);

#endif
