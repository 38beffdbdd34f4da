/* SPDX-License-Identifier: MIT
 *
 * cut_piece.h - one cut under way: the live recording in memory, which becomes the contents of the
 * piece step by step. An item that the piece does not contain gets the kind 0, which readers skip.
 * For cut*.c alone.
 *
 *	cut_owners.c	the processes, and the one that each segment belongs to
 *	cut_samples.c	samples that no piece has, and the frames they need
 *	cut_counts.c	counters become differences
 *	cut_calls.c	the same for exact calls
 *	cut_space.c	gives back what is not needed any more
 */
#ifndef DWELL_RECORDING_MAKE_CUT_PIECE_H
#define DWELL_RECORDING_MAKE_CUT_PIECE_H

#include "cut.h"

#define CUT_NO_PROCESS UINT32_MAX

/* A process of the live recording. */
struct cut_process {
	size_t segment; /* index of its PROCESS in the reader */
	bool has_ended; /* before the recording was read: all of it is there */
	bool is_wanted; /* in the piece */
	bool is_parent; /* a child that has not ended needs its names */
};

/* Further facts about a segment of the reader. */
struct cut_segment {
	uint32_t process; /* index, or CUT_NO_PROCESS: unknown */
	uint64_t chain;   /* offset of its THREAD; 0: not of a thread */
	bool is_needed;   /* in the piece, although it has no items there */
};

/* An item of samples that pieces contain as a whole. */
struct cut_gone {
	size_t segment; /* index */
	size_t at;      /* offset in the segment */
	size_t size;
};

/* The newest item of samples of a chain: the only one that its writer may still change. */
struct cut_newest {
	uint64_t time;
	uint64_t offset; /* in the file */
};

struct cut_piece {
	struct cut *cut;
	struct reader reader;
	struct cut_segment *segments; /* as many as the reader has */
	struct cut_process *processes;
	size_t process_count;
	struct hash by_offset; /* of a PROCESS -> index in processes */
	struct cut_newest *newest;
	size_t newest_count;
	struct hash by_chain;  /* -> index in newest */
	struct cut_gone *gone; /* in the order of the file */
	size_t gone_count;
	struct hash ended;      /* found by this cut, for the next one */
	struct cut_taken after; /* what pieces contain after this cut */
	uint64_t samples, ns;   /* in the piece */
	bool is_last;
};

/* Returns true if nothing is written to a segment any more. */
bool cut_is_final(const struct cut_piece *piece, size_t segment);

/* Notes that the piece needs the process of a segment. */
void cut_want(struct cut_piece *piece, size_t segment);

/* Returns the item after one, as reader_next() does, to be changed. */
static inline struct record_item *cut_next(const struct reader_segment *segment,
					   const struct record_item *item)
{
	return (struct record_item *)reader_next(segment, item);
}

/* Returns the offset of an item in the file. */
uint64_t cut_offset_of(const struct cut_piece *piece, size_t segment,
		       const struct record_item *item);

/* Each returns 0 or -errno. */
int cut_owners_find(struct cut_piece *piece, struct err *err);
int cut_samples_take(struct cut_piece *piece, struct err *err);
int cut_counts_take(struct cut_piece *piece, struct err *err);
int cut_calls_take(struct cut_piece *piece, struct err *err);

/* Finds the processes that have ended by now, by the offsets of their segments. Free with
 * hash_free(), in any case. */
int cut_owners_ended(struct hash *ended, const struct cut *cut, const struct reader *reader,
		     struct err *err);

/* Removes the segments that the piece does not need. */
void cut_owners_leave_out(struct cut_piece *piece);

/* A part of the live recording that is not needed once the piece is written. */
struct cut_free {
	uint64_t offset, end; /* in the file */
	bool is_segment;      /* a whole one; otherwise items */
};

struct cut_space {
	struct cut_free *list;
	size_t count;
};

/* Finds these parts, before cut_owners_leave_out(). Free with free(space->list). */
int cut_space_find(struct cut_space *space, const struct cut_piece *piece, struct err *err);

/* Gives them back. Returns false if the file system cannot do that. */
bool cut_space_give_back(const struct cut_space *space, int fd);

#endif
