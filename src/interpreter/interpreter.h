/* SPDX-License-Identifier: MIT
 *
 * interpreter.h - the contract of an interpreter: how it is found in a process, how the frames of
 * its functions are walked, and how these are named. docs/HOWTO_ADD_INTERPRETER.md explains how to
 * add one.
 *
 * An interpreter runs functions of a script in a native function, the evaluation function. An
 * activation of that is one native frame, and stands for one or more frames of the script. The two
 * are brought together in one of these ways:
 *
 *	linked	the interpreter links its activations by structs on the native stack, and such an
 *		address shows whose native frame it is in: begin, next and resume
 *	held	the evaluation function holds its frame of the script in a register that functions
 *		preserve, so the native frame leads to it: activation
 *
 * A third kind makes code at run time, which has native frames of its own, and nothing but itself
 * describes how to get from these to their callers:
 *
 *	compiled	a native frame of this code stands for functions: ready, step and compiled
 *
 * All functions here may be called in a handler: no call into the interpreter, no allocation, no
 *lock, and every pointer is checked before it is followed. All memory is read by peek.h, since the
 * interpreter may be in another process.
 */
#ifndef DWELL_INTERPRETER_INTERPRETER_H
#define DWELL_INTERPRETER_INTERPRETER_H

#include "dynsym.h"
#include "peek.h"
#include "recording/format.h"
#include "specific.h"
#include "unwind/unwind.h"

/* An interpreter in a process. */
struct interpreter_found {
	const struct interpreter *kind;
	uintptr_t state;                      /* its global variables */
	uintptr_t code_type;                  /* by which a code object is recognised */
	uintptr_t evaluation, evaluation_end; /* its evaluation function */
	uintptr_t places[10];                 /* other functions: the interpreter's own */
	/* Held: the registers of the evaluation function, and where it stores those of its
	 * caller. */
	const struct arch_held *held;
	struct arch_globals globals;
	const void *layout; /* of its version */
	uint32_t version;
	struct hotspot *vm; /* Java: its virtual machine */
};

struct scripts;
struct scripts_writer;

#define SCRIPT_DEPTH      512
#define SCRIPT_CODE_PARTS 8

/* A walk of a thread's activations, the innermost first. */
struct script_walk {
	const struct interpreter_found *found;
	const struct specific *specific; /* of this process */
	struct scripts *scripts;         /* the functions of the process */
	struct scripts_writer *writer;   /* receives functions seen for the first time; NULL: they
					    have no address yet */
	uint64_t time;                   /* now, in the recording's clock */
	struct peek peek;
	/* The interpreter's own: where the next activation begins, and which thread state is the
	 * last; and where this activation began, to go back to it. */
	uintptr_t at, last, from;
	bool is_settled; /* no activation is being changed: the evaluation function has called */
	int in_order;    /* else: frames that were as they should be, one after the other */
	/* Held: registers of the native frame, as of struct unwind_kept; and of the next one of the
	 * evaluation function, NULL: none. */
	const uintptr_t *kept, *outer;
	bool is_complete; /* there is no further native frame that is not known */
	/* Held: the native stack, all native frames of the evaluation function, and which one it
	 * is. */
	const uint64_t *native_pcs;
	const struct unwind_kept *natives;
	int native;
	bool is_taken; /* by activation(): another native frame stands for its frames, and this one
			  is not shown */
	/* The native stack, from the innermost frame on, by which a thread of another process is
	 * found. */
	uintptr_t stack, stack_end;
	/* The activation: an address in its native frame, and its frames, the innermost first: at
	 * most SCRIPT_DEPTH of them, as addresses of scripts.h. */
	uintptr_t anchor;
	/* Without an anchor, 0: the activation's only frame, an object. Its native frame holds one
	 * of these addresses: its start, or its end, where local variables follow. */
	uintptr_t object, object_end;
	uintptr_t code, code_end; /* instructions of the innermost, which runs; */
	struct {
		uintptr_t start, end;
	} parts[SCRIPT_CODE_PARTS]; /* other parts of them, if they are not in one piece */
	int part_count;
	uint64_t *pcs;
	int count;
	bool is_whole; /* addresses are of functions, not of instructions in them */
	bool is_cut;   /* it has more frames */
	/* Compiled: a native frame, and what step() has noted about it. registers: it was
	 * interrupted; NULL: it was not, or they are not known. */
	uintptr_t pc, sp, note;
	const struct registers *registers;
};

#define SCRIPT_DEPTH 512

/* Steps through code that an interpreter has made. */
struct script_steps {
	struct unwind_made made; /* must be first; for struct unwind */
	const struct interpreter_found *found;
	struct peek peek;
	uintptr_t stack_end;           /* the stack is known up to here; 0: all of it */
	bool mark;                     /* the interpreter's own; false at first */
	uintptr_t notes[SCRIPT_DEPTH]; /* by frame: of those whose code is in the range */
};

/* A function of a script, as copied at first sight. */
#define SCRIPT_NAME_BYTES 256
#define SCRIPT_FILE_BYTES 1024

struct script_facts {
	char name[SCRIPT_NAME_BYTES], file[SCRIPT_FILE_BYTES];
	uint32_t line;      /* its first */
	uintptr_t table;    /* of lines: its bytes, 0 before; */
	size_t table_bytes; /* and their number */
};

struct interpreter {
	enum record_language language;
	/* Recognises the interpreter in an object that was just mapped. */
	enum record_interpreter_state (*find)(const struct dynsym *symbols,
					      struct interpreter_found *found);
	/* Goes to the innermost activation of the calling thread, or of the thread of another
	 * process that has this stack; and to the next one. False: there is none, or it is being
	 * changed: native frames remain. */
	bool (*begin)(struct script_walk *walk); /* NULL: activations are held */
	bool (*next)(struct script_walk *walk);
	/* Goes to the activation of an anchor, or of an object, if one can have it. NULL: the
	 * interpreter links its activations at once. */
	bool (*resume)(struct script_walk *walk, uintptr_t anchor);
	/* Reads the activation that a native frame of the evaluation function holds. False: its
	 * registers are not those of an activation, or not yet. NULL: activations are linked. */
	bool (*activation)(struct script_walk *walk);
	/* Adds the frame of the function that the calling thread runs, and no other. Called as a
	 * function, not in a handler: nothing is being pushed or popped but by the interpreter's
	 * own calls. False: it cannot be read. NULL: nothing but the native stack leads to it. */
	bool (*innermost)(struct script_walk *walk);
	/* Compiled. ready: sets the range of code; NONE: not yet. step: steps as step.h does, or
	 * returns 1 for a caller that is only likely, and notes what the frame is. compiled: reads
	 * what a noted frame stands for. */
	enum record_interpreter_state (*ready)(struct script_steps *steps);
	int (*step)(struct script_steps *steps, struct registers *registers, uintptr_t *note);
	bool (*compiled)(struct script_walk *walk);
	/* Reads about the object of a struct script_code. False: it cannot be read. */
	bool (*describe)(struct peek *peek, const struct interpreter_found *found, uintptr_t object,
			 struct script_facts *facts);
};

extern const struct interpreter interpreter_cpython;
extern const struct interpreter interpreter_java;
extern const struct interpreter interpreter_lua;
extern const struct interpreter interpreter_perl;
extern const struct interpreter interpreter_php;
extern const struct interpreter interpreter_ruby;

#endif
