/* SPDX-License-Identifier: MIT
 *
 * sampled.h - the stacks of a recording by the numbers of their frames, run by run, and the
 * processes of segments.
 */
#ifndef DWELL_MODEL_PROFILE_SAMPLED_H
#define DWELL_MODEL_PROFILE_SAMPLED_H

#include "base/err.h"
#include "base/hash.h"
#include "maps.h"
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

/* A segment that may have frames and samples. */
struct sampled_segment {
	const struct reader_segment *segment;
	const struct maps_process *process; /* NULL: unknown */
	uint64_t owner;                     /* offset of the process's segment */
	uint32_t run;
};

/* The segments of a recording, and the stacks of one run at a time: a merged recording may have
 * thousands, whose stacks together take far more memory than what becomes of them. */
struct sampled {
	struct sampled_segment *segments; /* by run, then by offset */
	size_t segment_count;
	struct sampled_process *processes; /* of the run that was read last */
	size_t process_count;
	struct hash by_offset; /* PROCESS segment -> index in processes */
	size_t frame_count;    /* of all runs so far */
	size_t frames_max;     /* possible in a recording of this size */
};

/* Finds the segments. On success and failure, free with sampled_close(). */
int sampled_open(struct sampled *sampled, const struct reader *reader, const struct maps *maps,
		 struct err *err);
void sampled_close(struct sampled *sampled);

/* Finds all frames of the run that begins at segments[first], and forgets those of the last one.
 * Returns 0 and the index behind the run's last segment, or -errno. */
int sampled_read(struct sampled *sampled, size_t first, size_t *end, struct err *err);

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
