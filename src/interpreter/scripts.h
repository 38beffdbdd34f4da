/* SPDX-License-Identifier: MIT
 *
 * scripts.h - gives every function of a script an address, above all that a program can have. A
 * function seen for the first time is written to the recording with its name, file and lines.
 *
 * A function is identified by its code object and by what that points to: the memory of a freed one
 * may be another's later, with other names. Any number of threads may look at once, in handlers; an
 * entry found half written counts as missing, and the function is written again.
 */
#ifndef DWELL_INTERPRETER_SCRIPTS_H
#define DWELL_INTERPRETER_SCRIPTS_H

#include "interpreter.h"
#include "recording/write/room.h"

/* Where a thread writes functions. Starts with a room alone. */
struct scripts_writer {
	struct room room; /* of further NAMES of its process */
};

/* Identity of a code object. */
struct script_code {
	uintptr_t address;
	uintptr_t name, file, table; /* pointers in it */
	uint32_t line;
	size_t bytes; /* of its instructions */
};

/* Allocates the table, once. Returns 0 or -ENOMEM. Any context, by one thread at a time. */
int scripts_init(void);

/* Returns the address of a frame at an offset of a code object's instructions. Without space, or if
 * the object cannot be read, it is one of no function. In a handler. */
uint64_t scripts_address(struct scripts_writer *writer, const struct interpreter_found *found,
			 const struct script_code *code, size_t offset);

#endif
