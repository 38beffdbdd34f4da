/* SPDX-License-Identifier: MIT
 *
 * hotspot_step.h - from a frame of code that HotSpot has made to its caller. In a handler.
 */
#ifndef DWELL_INTERPRETER_HOTSPOT_STEP_H
#define DWELL_INTERPRETER_HOTSPOT_STEP_H

#include "hotspot.h"
#include "unwind/registers.h"

/* Kinds of frames, in the lowest bits of an address. 0: nothing is known. */
enum hotspot_note {
	HOTSPOT_NOTE_COMPILED = 1, /* of its code */
	HOTSPOT_NOTE_FRAME = 2,    /* of an interpreter's frame */
	HOTSPOT_NOTE_ENTERED = 3,  /* of the method: it has no frame yet */
	HOTSPOT_NOTE_STUB = 4,     /* of its code */
	HOTSPOT_NOTE_CALL = 5,     /* the same: the routine by which C calls Java */
	HOTSPOT_NOTES = 7,
};

/* Steps between the frames of a stack. Starts with a virtual machine that is ready, and memory. */
struct hotspot_steps {
	const struct hotspot *vm;
	struct peek *peek;
	uintptr_t stack_end; /* the stack is known up to here; 0: all of it */
	bool replaces; /* frames are being replaced: those of the interpreter may be unfinished */
};

/* Steps as step.h does. Returns 1 for a caller that is only likely. *note receives what the frame
 * is. */
int hotspot_step(struct hotspot_steps *steps, struct registers *registers, uintptr_t *note);

#endif
