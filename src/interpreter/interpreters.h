/* SPDX-License-Identifier: MIT
 *
 * interpreters.h - the interpreters of this process, and the frames of scripts in its stacks.
 *
 * A process without an interpreter pays for one look at each object that it maps.
 */
#ifndef DWELL_INTERPRETER_INTERPRETERS_H
#define DWELL_INTERPRETER_INTERPRETERS_H

#include "interpreter.h"
#include "recording/write/room.h"
#include "recording/write/stacks.h"
#include "scripts.h"

/* Looks for an interpreter in an object that was mapped there, and notes in the recording what was
 * found. By one thread at a time, in any context. */
void interpreters_mapped(const struct object *object, uintptr_t start, struct room *names);

/* Notes that a mapping is gone. By the same thread. */
void interpreters_gone(uintptr_t start);

/* Returns true if stacks have frames of scripts. Any context. */
bool interpreters_exist(void);

/* Memory for merging, of the thread alone. */
struct interpreters_space {
	struct scripts_writer scripts;
	uintptr_t sps[SCRIPT_DEPTH]; /* by the caller: the stack pointer of each native frame */
	uintptr_t frames[SCRIPT_DEPTH];
	uintptr_t merged[SCRIPT_DEPTH];
};

/* Puts the frames of scripts into the stack of the calling thread: behind each native frame that
 * runs them, as if they had called it. */
void interpreters_merge(struct interpreters_space *space, struct stack *stack);

#endif
