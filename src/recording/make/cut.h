/* SPDX-License-Identifier: MIT
 *
 * cut.h - takes pieces out of a recording while it is being written. Each piece is a complete
 * recording of the time since the previous one; together they contain every sample once.
 *
 * Nothing changes for the processes that write. A cut reads the live recording as any reader does,
 * subtracts what earlier pieces contain, and writes the rest to a new file. Then it gives the space
 * of samples that are never written again back to the disk. So the live recording stays valid: it
 * contains what no piece has, all frames and names, and the samples that share an item with those
 * still to come.
 *
 * A cut that fails has taken nothing: the next one takes its samples as well.
 *
 * The last sample of a writer may still be changed when its thread ends (samples_adjust()). It goes
 * to the piece of the cut at which it is certain not to change any more.
 */
#ifndef DWELL_RECORDING_MAKE_CUT_H
#define DWELL_RECORDING_MAKE_CUT_H

#include "cut_taken.h"
#include "finish.h"

/* A recording that pieces are cut from. Starts with its first three members alone; free with
 * cut_close(). */
struct cut {
	int fd;           /* of the live recording, owned by the caller */
	const char *path; /* of the same, for messages */
	enum finish_writers writers;
	struct cut_taken taken;        /* by earlier pieces */
	struct hash ended;             /* segments of processes that have ended -> 0 */
	struct record_header header;   /* at the previous cut; all 0 before the first */
	struct record_instant started; /* of the next piece; all 0: the header's */
	uint64_t started_unix_ns;      /* of the same, in the time of day */
	uint64_t samples, ns;          /* in all pieces so far */
	bool cannot_give_back;
};

/* Writes the next piece to a new file, which has its path once it is complete. FINISH_US: the
 * weights of all samples are final. is_last: nothing more is written, or wanted. Returns 0 or
 * -errno. */
int cut_take(struct cut *cut, const char *path, bool is_last, struct err *err);

void cut_close(struct cut *cut);

#endif
