/* SPDX-License-Identifier: MIT
 *
 * sampled.h - the stacks of a recording by the numbers of their frames, and the process of a
 * segment's items.
 */
#ifndef DWELL_MODEL_PROFILE_SAMPLED_H
#define DWELL_MODEL_PROFILE_SAMPLED_H

#include "base/err.h"
#include "base/hash.h"
#include "recording/read/reader.h"

#define SAMPLED_DEPTH 4096 /* frames of a stack; more are invalid */

/* A frame as recorded, which stands for the stack of which it is the innermost. */
struct sampled_frame {
	const struct record_frame *record; /* NULL: none */
	uint32_t first;    /* in the profile: the resolved stack; HASH_NONE: not yet */
	uint32_t known[2]; /* index in profile_resolve.c as an interrupted frame, and as a caller;
			    * HASH_NONE: none yet */
	uint16_t depth;    /* frames from the outermost to it; 0: not computed yet */
	uint8_t end;       /* the reason: an enum record_stack_end */
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
	struct hash by_offset; /* PROCESS segment -> index in processes */
	size_t frame_count;    /* of all processes */
	size_t frames_max;     /* possible in a recording of this size */
};

/* Finds all frames. On success and failure, free with sampled_free(). */
int sampled_read(struct sampled *sampled, const struct reader *reader, struct err *err);
void sampled_free(struct sampled *sampled);

/* Returns true if a segment may have frames and samples, and the offset of their process's
 * segment. */
bool sampled_owner(const struct reader *reader, const struct reader_segment *segment,
		   uint64_t *process);

/* Returns the process whose segment is at an offset; NULL: it has no frames. */
struct sampled_process *sampled_process(const struct sampled *sampled, uint64_t offset);

/* Returns NULL if there is none. */
struct sampled_frame *sampled_frame(const struct sampled_process *process, uint32_t number);

/* Returns the number of frames of the stack of which this is the innermost: at most SAMPLED_DEPTH.
 * If a damaged recording has more, or a frame that is its own caller, a stack begins in between:
 * each frame has one place in all stacks, so there are no more than in the recording. */
uint32_t sampled_depth(const struct sampled_process *process, struct sampled_frame *frame);

/* Returns NULL for the outermost. */
struct sampled_frame *sampled_caller(const struct sampled_process *process,
				     struct sampled_frame *frame);

/* Returns why the stack has no more frames. */
enum record_stack_end sampled_end(const struct sampled_process *process,
				  struct sampled_frame *frame);

static inline uint64_t sampled_address(const struct sampled_frame *frame)
{
	const uint32_t *pc = frame->record->pc;

	return (uint64_t)(pc[1] & ~RECORD_FRAME_GUESSED) << 32 | pc[0];
}

#endif
