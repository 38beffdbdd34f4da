/* SPDX-License-Identifier: MIT
 *
 * interpreter.h - the contract of an interpreter: how it is found in a process, how the frames of
 * its functions are walked, and how these are named. docs/HOWTO_ADD_INTERPRETER.md explains how to
 * add one.
 *
 * An interpreter runs functions of a script in a native function, the evaluation function. An
 * activation of that is one native frame, and stands for one or more frames of the script. All
 * functions here may be called in a handler: no call into the interpreter, no allocation, no lock,
 * and every pointer is checked before it is followed.
 */
#ifndef DWELL_INTERPRETER_INTERPRETER_H
#define DWELL_INTERPRETER_INTERPRETER_H

#include "dynsym.h"
#include "peek.h"
#include "recording/format.h"

/* An interpreter in this process. */
struct interpreter_found {
	const struct interpreter *kind;
	uintptr_t state;     /* its global variables */
	uintptr_t code_type; /* by which a code object is recognised */
	const void *layout;  /* of its version */
	uint32_t version;
};

struct scripts_writer;

/* A walk of a thread's activations, the innermost first. */
struct script_walk {
	const struct interpreter_found *found;
	struct scripts_writer *writer; /* receives functions seen for the first time */
	struct peek peek;
	uintptr_t at, last; /* the interpreter's own */
	/* The activation: an address in its native frame, and its frames, the innermost first: at
	 * most SCRIPT_DEPTH of them, as addresses of scripts.h. */
	uintptr_t anchor;
	uintptr_t *pcs;
	int count;
	bool is_cut; /* it has more frames */
};

#define SCRIPT_DEPTH 512

/* A function of a script, as copied at first sight. */
#define SCRIPT_NAME_BYTES 256
#define SCRIPT_FILE_BYTES 1024

struct script_facts {
	char name[SCRIPT_NAME_BYTES], file[SCRIPT_FILE_BYTES];
	uint32_t line;      /* its first */
	uintptr_t table;    /* of lines: its bytes, */
	size_t table_bytes; /* and their number */
};

struct interpreter {
	enum record_language language;
	/* Recognises the interpreter in an object that was just mapped. */
	enum record_interpreter_state (*find)(const struct dynsym *symbols,
					      struct interpreter_found *found);
	/* Goes to the calling thread's innermost activation, and to the next one. False: there is
	 * none, or it is being changed: native frames remain. */
	bool (*begin)(struct script_walk *walk);
	bool (*next)(struct script_walk *walk);
	/* Reads about a code object. False: it cannot be read. */
	bool (*describe)(const struct interpreter_found *found, uintptr_t code,
			 struct script_facts *facts);
};

extern const struct interpreter interpreter_cpython;

#endif
