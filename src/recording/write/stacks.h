/* SPDX-License-Identifier: MIT
 *
 * stacks.h - gives every stack of a process a number: that of its innermost frame. Frames that
 * nobody has seen before are written to the recording.
 *
 * Any number of threads may do so at once, in signal handlers too, without waiting for each other.
 * Stacks are known by a hash of 64 bits. Who finds an entry half written takes it for one that is
 * not there, and where there is no room for one the stack is written again the next time: both cost
 * space and nothing else.
 */
#ifndef DWELL_RECORDING_WRITE_STACKS_H
#define DWELL_RECORDING_WRITE_STACKS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "room.h"

/* Invariant: once both are not 0, they belong together and stay. */
struct stacks_entry {
	_Atomic uint64_t hash;
	_Atomic uint32_t number; /* of the frame, and 1 */
};

/*
 * Of a process. The entries are several tables, each eight times as large as the one before. A hash
 * goes to the first one that has an empty entry where it belongs, so that memory is touched as it
 * is needed: in one large table, every new stack would be a page fault.
 */
#define STACKS_LEVELS 4

struct stacks {
	struct stacks_entry *entries;
	unsigned levels;
	_Atomic uint32_t next; /* number that no frame has yet */
};

/* Where a thread writes frames. Starts with its room alone. */
struct stacks_writer {
	struct room *room;
	struct record_frames *item; /* that is being filled; NULL: none */
	uint32_t item_room;         /* of the next one */
};

struct stack {
	const uintptr_t *pcs; /* the innermost first */
	uint64_t *hashes;     /* for our use; as many */
	int depth;            /* at least 1 */
	int certain;          /* the others are guesses */
	enum record_stack_end end;
};

/* Memory of zeroes, aligned to 64 bytes. -EINVAL: too little. */
int stacks_init(struct stacks *stacks, void *memory, size_t size);

/* False: there is no room in the recording. */
bool stacks_number(struct stacks *stacks, struct stacks_writer *writer, const struct stack *stack,
		   uint32_t *number);

#endif
