/* SPDX-License-Identifier: MIT
 *
 * interpreters.h - the interpreter of a process, and the frames of scripts in its stacks.
 *
 * A process without an interpreter pays for one look at each object that it maps.
 */
#ifndef DWELL_INTERPRETER_INTERPRETERS_H
#define DWELL_INTERPRETER_INTERPRETERS_H

#include "hotspot.h"
#include "interpreter.h"
#include "recording/write/room.h"
#include "recording/write/stacks.h"
#include "scripts.h"
#include "unwind/registers.h"

/* Starts as all zeroes. Invariant: `found` is not changed while `is_there`. */
struct interpreters {
	struct interpreter_found found;
	struct specific specific; /* of the process's libc */
	uintptr_t start;          /* of the mapping it was found in */
	_Atomic bool is_there;
	/* Where the evaluation function has its anchor, or a pointer to its object: so far below
	 * its caller's stack pointer; 0: not known yet. */
	_Atomic uintptr_t below;
	struct scripts scripts;
	struct hotspot vm;
	_Atomic bool is_unknown; /* noted later than found */
};

/* Looks for an interpreter in an object that was mapped there, and notes in the recording what was
 * found. By one thread at a time, in any context. */
void interpreters_mapped(struct interpreters *interpreters, struct peek *peek,
			 const struct object *object, uintptr_t start, struct room *names);

/* Notes that a mapping is gone. By the same thread. */
void interpreters_gone(struct interpreters *interpreters, uintptr_t start);

/* Returns true if stacks have frames of scripts. Any context. */
bool interpreters_exist(const struct interpreters *interpreters);

/* Results of interpreters_innermost() that are no address. */
#define INTERPRETERS_NO_FUNCTION UINT64_C(0) /* the thread runs none */
#define INTERPRETERS_UNREADABLE  UINT64_C(1)

/* Returns the address of the function of a script that the calling thread runs, or
 * SCRIPTS_NAMELESS: it has no address, or not yet if writer is NULL. known: of this thread. Called
 * as a function, not in a handler, though that may be the program's own. */
uint64_t interpreters_innermost(struct interpreters *interpreters, struct peek_known *known,
				struct scripts_writer *writer, uint64_t time);

/* Forgets everything, before another recording; no thread looks meanwhile. */
void interpreters_forget(struct interpreters *interpreters);

/* Memory for merging, of the thread that merges alone. */
struct interpreters_space {
	struct scripts_writer scripts;
	struct peek_known known;
	uintptr_t sps[SCRIPT_DEPTH]; /* by the caller: the stack pointer of each native frame, */
	struct unwind_kept kept;     /* and these, as interpreters_range() has them */
	struct script_steps steps;
	uint64_t frames[SCRIPT_DEPTH];
	uint64_t merged[SCRIPT_DEPTH];
};

/* Returns true if native frames hold activations, and sets the range of code whose registers are
 * needed. Any context. */
bool interpreters_range(const struct interpreters *interpreters, struct unwind_kept *kept);

/* Returns how to step through code that an interpreter has made, for the walk of a stack; NULL:
 * there is none. source: as of struct peek. stack_end: the stack is known up to there; 0: all of
 * it. Any context. */
struct unwind_made *interpreters_made(struct interpreters *interpreters,
				      struct interpreters_space *space,
				      const struct peek_source *source, uintptr_t stack_end);

/* A thread of another process, which goes on while it is read. */
struct interpreters_elsewhere {
	struct peek_source source; /* its stack as sampled, and all other memory of now */
	/* Returns true if the activation in this part of the stack ran code of this range when the
	 * stack was sampled. */
	bool (*ran)(void *context, struct window part, uintptr_t start, uintptr_t end);
};

/* Puts the frames of scripts into a stack, at `time` in the recording's clock: behind each native
 * frame that runs them, as if they had called it. elsewhere NULL: the stack of the calling
 * thread. registers: of the innermost frame; NULL: not known. */
void interpreters_merge(struct interpreters *interpreters, struct interpreters_space *space,
			struct stack *stack, uint64_t time, const struct registers *registers,
			const struct interpreters_elsewhere *elsewhere);

#endif
