/* SPDX-License-Identifier: MIT
 *
 * tail.h - follows a recording while it is being written: hands out what is new since the last
 * time, and remembers how far it got in each segment. So a look at it costs as much as has happened
 * since the one before, however long it has been going on.
 *
 * What was handed out can be given back to the disk, so that a recording that nobody wants to keep
 * stays small: see tail_recycle().
 *
 * Foreign bytes, as in reader.h: what is handed out can be relied on in the same way.
 */
#ifndef DWELL_RECORDING_READ_TAIL_H
#define DWELL_RECORDING_READ_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "recording/format.h"

/* A segment that has something which is still to come, or to be given back. */
struct tail_segment {
	uint64_t offset, end; /* in the file */
	uint64_t items;       /* where they begin */
	uint64_t given_back;  /* up to there */
};

/* An item that is being filled. */
struct tail_item {
	uint64_t offset; /* in the file; 0: there is none */
	uint32_t taken;  /* of its count */
	uint64_t time;   /* that its samples have reached */
};

/* How far items of one kind were read: all others are passed by. */
struct tail_cursor {
	size_t segment;        /* a place in the chain's segments */
	uint64_t at;           /* the next item in the file; 0: the segment's first */
	struct tail_item open; /* the last one that was met */
};

/*
 * The segments of one writer, in the order in which it fills them: those of a thread, or of a
 * process that says what it has mapped. Invariant: a writer fills one item of samples and one of
 * frames at a time, so all items before those are complete. Samples may have to wait while frames
 * that were written behind them are read, so there is a cursor for each.
 */
struct tail_chain {
	uint64_t first;   /* segment, which is what others know it by */
	uint64_t process; /* segment of the process it belongs to */
	struct tail_segment *segments;
	size_t count;
	struct tail_cursor samples;
	struct tail_cursor names; /* frames of a thread; what a process says of itself */
	uint64_t *samplers;       /* offsets of its items that say what was lost */
	size_t sampler_count;
	unsigned looks; /* at the head of a process, which is filled in behind its mark */
};

/* Space that somebody has taken and not yet marked. */
struct tail_gap {
	uint64_t offset;
	unsigned looks;
};

struct tail {
	int fd;
	struct record_header header;
	uint64_t scanned; /* segments up to there are known, but for the gaps */
	struct tail_gap *gaps;
	size_t gap_count;
	struct tail_chain *chains;
	size_t chain_count;
	struct hash by_first; /* of a chain's first segment -> place in chains */
	uint64_t lost;        /* samples of processes that were forgotten */
	bool is_sealed;
};

/* Samples of a thread that follow each other. */
struct tail_samples {
	const struct record_samples *head; /* without samples */
	uint64_t time;                     /* that the first one's is since */
	const struct record_sample *samples;
	uint32_t count;
};

/* Where it goes. A process is known by the offset of its segment. All answer 0 or -errno. */
struct tail_sink {
	/* A new one; or one that has been told, again, since its head may have been half written.
	 */
	int (*process)(void *argument, uint64_t offset, const struct record_process *process,
		       struct err *err);
	/* MAP and UNMAP; not to be kept. */
	int (*mapped)(void *argument, uint64_t process, const struct record_item *item,
		      struct err *err);
	int (*frames)(void *argument, uint64_t process, uint32_t first,
		      const struct record_frame *frames, uint32_t count, struct err *err);
	/* May come before frames that they refer to, which then come with the next look. */
	int (*samples)(void *argument, uint64_t process, const struct tail_samples *samples,
		       struct err *err);
	void *argument;
};

/* On success, tail_close() is due. */
int tail_open(struct tail *tail, const char *path, struct err *err);
void tail_close(struct tail *tail);

/* Hands out what is new, samples up to an instant of the recording's clock. 0 or -errno. */
int tail_read(struct tail *tail, const struct tail_sink *sink, uint64_t until, struct err *err);

/* Gives back what has been handed out. The file stays as long as it is, with holes, and whoever
 * opens it later finds nothing in it. */
void tail_recycle(struct tail *tail);

/* A process that has ended: all of it is given back, and nothing will come of it any more. */
void tail_forget(struct tail *tail, uint64_t process);

/* The recording takes no more. */
void tail_seal(struct tail *tail);

/* Samples that there was no room for, so far. */
uint64_t tail_lost(const struct tail *tail);

/* How much of the disk the recording takes; 0: nobody knows. */
uint64_t tail_bytes(const struct tail *tail);

#endif
