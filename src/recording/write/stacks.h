/* SPDX-License-Identifier: MIT
 *
 * stacks.h - gives every stack of a process a number: that of its innermost frame. New frames are
 * written to the recording.
 *
 * Any number of threads may do so at once, in signal handlers too, without waiting for each other.
 * Stacks are identified by a 64-bit hash. An entry found half written counts as missing, and a
 * stack without space for an entry is written again the next time: both cost only space.
 */
#ifndef DWELL_RECORDING_WRITE_STACKS_H
#define DWELL_RECORDING_WRITE_STACKS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "room.h"

/* Invariant: once both are nonzero, they belong together and never change. */
struct stacks_entry {
	_Atomic uint64_t hash;
	_Atomic uint32_t number; /* of the frame, plus 1 */
};

/* The stacks of a process. The entries are several tables, each eight times as large as the
 * previous one. A hash goes to the first one with a free entry in its place, so that memory is
 * touched as needed: in one large table, every new stack would be a page fault. */
#define STACKS_LEVELS 4

struct stacks {
	struct stacks_entry *entries;
	unsigned levels;
	_Atomic uint32_t next; /* first unused frame number */
};

/* The frames a thread writes. Starts with its room alone. */
struct stacks_writer {
	struct room *room;
	struct record_frames *item; /* being filled; NULL: none */
	uint32_t item_room;         /* capacity of the next one */
};

struct stack {
	const uint64_t *pcs; /* the innermost first; of scripts, above all pointers */
	uint64_t *hashes;    /* scratch space, equally long */
	int depth;           /* at least 1 */
	int certain;         /* the others are guesses */
	enum record_stack_end end;
};

/* Initialises from zeroed memory, aligned to 64 bytes. -EINVAL: too little. */
int stacks_init(struct stacks *stacks, void *memory, size_t size);

/* Returns false if the recording has no space. */
bool stacks_number(struct stacks *stacks, struct stacks_writer *writer, const struct stack *stack,
		   uint32_t *number);

/* The stack that frames are added to. */
struct stacks_tip {
	uint64_t hash; /* hashes[0] of the stack, after stacks_number() */
	uint32_t number;
};

/* Adds a frame that the innermost one of a numbered stack has called. Returns the same. */
bool stacks_push(struct stacks *stacks, struct stacks_writer *writer, uint64_t pc,
		 struct stacks_tip *tip);

#endif
