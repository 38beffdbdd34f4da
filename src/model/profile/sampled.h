/* SPDX-License-Identifier: MIT
 *
 * sampled.h - the stacks of a recording by the numbers of their frames, and which process the items
 * of a segment are of.
 */
#ifndef DWELL_MODEL_PROFILE_SAMPLED_H
#define DWELL_MODEL_PROFILE_SAMPLED_H

#include "base/err.h"
#include "base/hash.h"
#include "recording/read/reader.h"

#define SAMPLED_DEPTH 4096 /* frames of a stack; more make no sense */

/* A frame as it was recorded, which stands for the stack that it is the innermost one of. */
struct sampled_frame {
	const struct record_frame *record; /* NULL: there is none */
	uint32_t first;    /* in the profile: what the stack was resolved to; HASH_NONE: not yet */
	uint32_t known[2]; /* what profile_resolve.c found it to be as one that was interrupted, and
			    * as a caller; HASH_NONE: nothing yet */
	uint16_t depth;    /* frames from the outermost to it; 0: nobody has asked yet */
	uint8_t end;       /* why there are no more: an enum record_stack_end */
};

/* A process's frames by number. */
struct sampled_process {
	struct sampled_frame *frames;
	size_t count, room;
};

/* Starts as all zeroes. */
struct sampled {
	struct sampled_process *processes;
	size_t process_count;
	struct hash by_offset; /* of a PROCESS segment -> place in processes */
	size_t frame_count;    /* of all processes */
	size_t frames_max;     /* that a recording of this size may have */
};

/* Finds all frames. On success and failure, sampled_free() is due. */
int sampled_read(struct sampled *sampled, const struct reader *reader, struct err *err);
void sampled_free(struct sampled *sampled);

/* Whether a segment may have frames and samples, and then where the segment of their process is. */
bool sampled_owner(const struct reader *reader, const struct reader_segment *segment,
		   uint64_t *process);

/* The process whose segment is at an offset; NULL: it has no frames. */
struct sampled_process *sampled_process(const struct sampled *sampled, uint64_t offset);

/* NULL: there is none. */
struct sampled_frame *sampled_frame(const struct sampled_process *process, uint32_t number);

/* How many frames the stack has that this one is the innermost of: at most SAMPLED_DEPTH. Where a
 * damaged recording has more, or one that is its own caller, a stack begins in between: each frame
 * has one place in all stacks, so these are not more than the recording has. */
uint32_t sampled_depth(const struct sampled_process *process, struct sampled_frame *frame);

/* NULL: it is the outermost. */
struct sampled_frame *sampled_caller(const struct sampled_process *process,
				     struct sampled_frame *frame);

/* Why the stack has no more frames. */
enum record_stack_end sampled_end(const struct sampled_process *process,
				  struct sampled_frame *frame);

static inline uint64_t sampled_address(const struct sampled_frame *frame)
{
	const uint32_t *pc = frame->record->pc;

	return (uint64_t)(pc[1] & ~RECORD_FRAME_GUESSED) << 32 | pc[0];
}

#endif
