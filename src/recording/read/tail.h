/* SPDX-License-Identifier: MIT
 *
 * tail.h - follows a recording while it is being written: hands out what is new, and remembers the
 * position in each segment. So each pass costs only as much as has happened since the previous one.
 *
 * Space already handed out can be returned to the disk, so that a recording that is not kept stays
 * small: see tail_recycle().
 *
 * The input is untrusted, as in reader.h: the output can be relied on in the same way.
 */
#ifndef DWELL_RECORDING_READ_TAIL_H
#define DWELL_RECORDING_READ_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "recording/format.h"

/* A segment with data still to come, or to be given back. */
struct tail_segment {
	uint64_t offset, end; /* in the file */
	uint64_t items;       /* offset of the first */
	uint64_t given_back;  /* up to this offset */
};

/* An item being filled. */
struct tail_item {
	uint64_t offset; /* in the file; 0: none */
	uint32_t taken;  /* of its count */
	uint16_t weight; /* of the last sample taken, as it was */
	uint64_t time;   /* reached by its samples */
};

/* Position in the items of one kind; all others are skipped. */
struct tail_cursor {
	size_t segment;        /* index in the chain's segments */
	uint64_t at;           /* offset of the next item in the file; 0: the segment's first */
	struct tail_item open; /* the last one met */
};

/* The segments of one writer, in the order in which it fills them: a thread, or a process that
 * reports its mappings. Invariant: a writer fills one item of samples and one of frames at a time,
 * so all items before those are complete. Samples may have to wait while frames written behind them
 * are read, so there is a cursor for each. */
struct tail_chain {
	uint64_t first;   /* segment, by which others refer to it */
	uint64_t process; /* segment of its process */
	struct tail_segment *segments;
	size_t count;
	struct tail_cursor samples;
	struct tail_cursor names; /* frames of a thread; facts about a process */
	uint64_t *samplers;       /* offsets of its items with losses */
	size_t sampler_count;
	unsigned looks; /* at the head of a process, which is filled in after its mark */
};

/* Space that a writer has taken and not yet marked. */
struct tail_gap {
	uint64_t offset;
	unsigned looks;
};

struct tail {
	int fd;
	struct record_header header;
	uint64_t scanned; /* segments up to here are known, except in gaps */
	struct tail_gap *gaps;
	size_t gap_count;
	struct tail_chain *chains;
	size_t chain_count;
	struct hash by_first; /* a chain's first segment -> index in chains */
	uint64_t lost;        /* samples of forgotten processes */
	bool is_sealed;
};

/* Consecutive samples of a thread. */
struct tail_samples {
	const struct record_samples *head; /* without samples */
	uint64_t time;                     /* to which the first one's is relative */
	const struct record_sample *samples;
	uint32_t count;
	bool is_rest; /* one, handed out before: its weight is what it has got since */
};

/* Receives the data. A process is identified by the offset of its segment. All return 0 or
 * -errno. */
struct tail_sink {
	/* Reports a new process; or a known one again, since its head may have been half written.
	 */
	int (*process)(void *argument, uint64_t offset, const struct record_process *process,
		       struct err *err);
	/* Reports MAP and UNMAP; item is valid only during the call. */
	int (*mapped)(void *argument, uint64_t process, const struct record_item *item,
		      struct err *err);
	int (*frames)(void *argument, uint64_t process, uint32_t first,
		      const struct record_frame *frames, uint32_t count, struct err *err);
	/* May come before frames they refer to, which then come with the next pass. */
	int (*samples)(void *argument, uint64_t process, const struct tail_samples *samples,
		       struct err *err);
	void *argument;
};

/* Opens a recording. On success, free with tail_close(). */
int tail_open(struct tail *tail, const char *path, struct err *err);
void tail_close(struct tail *tail);

/* Hands out what is new, samples up to an instant of the recording's clock. Returns 0 or -errno. */
int tail_read(struct tail *tail, const struct tail_sink *sink, uint64_t until, struct err *err);

/* Gives back everything that has been handed out. The file keeps its length, with holes; later
 * readers find nothing in it. */
void tail_recycle(struct tail *tail);

/* Gives back all of a process that has ended; nothing more of it is handed out. */
void tail_forget(struct tail *tail, uint64_t process);

/* Makes the recording accept no more. */
void tail_seal(struct tail *tail);

/* Returns the number of samples that did not fit, so far. */
uint64_t tail_lost(const struct tail *tail);

/* Returns the disk space of the recording; 0: unknown. */
uint64_t tail_bytes(const struct tail *tail);

#endif
