/* SPDX-License-Identifier: MIT
 *
 * scripts.h - gives every function of a script an address, above all that a program can have. A
 * function seen for the first time is written to the recording with its name, file and lines.
 *
 * A function is identified by its code object and by what that points to: the memory of a freed one
 * may be another's later, with other names. Any number of threads may look at once, in handlers; an
 * entry found half written counts as missing, and the function is written again. So it is if a
 * program has so many functions that others have displaced it.
 */
#ifndef DWELL_INTERPRETER_SCRIPTS_H
#define DWELL_INTERPRETER_SCRIPTS_H

#include <stdatomic.h>

#include "interpreter.h"
#include "recording/write/room.h"

struct script_entry;

/* An address of no function: for those that have none. */
#define SCRIPTS_NAMELESS (RECORD_SCRIPTS_START + 1)

/* The functions of a process. Starts as all zeroes. */
struct scripts {
	struct script_entry *_Atomic entries; /* NULL: none yet */
	uint64_t next;                        /* atomic; bytes of addresses given out */
};

/* Where a thread writes functions. Starts with a room alone. */
struct scripts_writer {
	struct room room; /* of further NAMES of its process */
};

/* Takes space for an item. Unmaps the segment that was full: all items in it are complete. NULL:
 * none. In a handler. */
void *scripts_take(struct scripts_writer *writer, size_t size);

/* Identity of a function. */
struct script_code {
	uintptr_t object;  /* what describe() reads; not a part of the identity, as there may be
			      copies of it */
	uintptr_t address; /* of its code */
	uintptr_t name, file, table; /* pointers in it */
	uint32_t line;
	size_t bytes; /* of its instructions, or lines */
};

/* Allocates the table, once. Returns 0 or -ENOMEM. Any context, by one thread at a time. */
int scripts_init(struct scripts *scripts);
void scripts_free(struct scripts *scripts);

/* Returns the address of a frame at an offset of a code object's instructions. Without space, or if
 * the object cannot be read, it is one of no function. In a handler. */
uint64_t scripts_address(struct script_walk *walk, const struct script_code *code, size_t offset);

/* Adds a frame to the activation, at a line of a function up to its last one; 0: unknown. For an
 * interpreter that reads lines itself: instead of a table, each line has an address, and
 * code->bytes is set to their number. In a handler. */
void scripts_add(struct script_walk *walk, struct script_code *code, uint32_t last, uint32_t line);

#endif
