/* SPDX-License-Identifier: MIT
 *
 * watched_scripts.h - functions that an interpreter runs, in the stacks of a watched process.
 *
 * Its memory is read when a sample is handled, which is a little later than the sample was taken.
 * The native stack is a copy of that moment, and shows which activations of the interpreter there
 * were. The functions that they ran are taken from memory of now, if the copy confirms them; else
 * the interpreter's native frame remains.
 */
#ifndef DWELL_ATTACH_WATCHED_SCRIPTS_H
#define DWELL_ATTACH_WATCHED_SCRIPTS_H

#include "attach/walker.h"
#include "recording/write/room.h"

struct watched_scripts;

/* A mapping of the process that may be of an interpreter. */
struct watched_scripts_mapping {
	pid_t pid;
	const struct walker_code *code;
	uint64_t segment;   /* of its process, in the recording */
	struct room *names; /* of it */
};

/* Looks for an interpreter in a mapping. *scripts is made if there is one; it starts as NULL. */
void watched_scripts_mapped(struct watched_scripts **scripts,
			    const struct watched_scripts_mapping *mapping);

/* Notes that a mapping is gone. */
void watched_scripts_gone(struct watched_scripts *scripts, uint64_t start);

/* Returns what a walk has to note for the merge; NULL: nothing. */
struct unwind_kept *watched_scripts_kept(struct watched_scripts *scripts);

/* Returns how to step through code that an interpreter has made, in a walk of this stack; NULL:
 * there is none. */
struct unwind_made *watched_scripts_made(struct watched_scripts *scripts, pid_t pid,
					 const struct walker_stack *stack);

/* Adds functions of scripts to the frames of a stack, at `time` in the recording's clock. scripts
 * NULL: there are none. */
void watched_scripts_merge(struct watched_scripts *scripts, pid_t pid, uint64_t time,
			   const struct walker_stack *stack, struct walker_frames *frames);

/* Returns the segment being filled; NULL: none. */
const struct room *watched_scripts_room(const struct watched_scripts *scripts);

void watched_scripts_free(struct watched_scripts *scripts);

#endif
