/* SPDX-License-Identifier: MIT
 *
 * cpython_frames.h - the activations of a thread of CPython, from walk->at on. All in a handler.
 */
#ifndef DWELL_INTERPRETER_CPYTHON_FRAMES_H
#define DWELL_INTERPRETER_CPYTHON_FRAMES_H

#include "cpython.h"

#define WORD        ((uintptr_t)sizeof(uintptr_t))
#define OBJECT_TYPE WORD /* ob_type, behind the count of references */

static inline const struct cpython_layout *cpython_layout_in(const struct script_walk *walk)
{
	return walk->found->layout;
}

/* Returns true if each activation has one frame, which is an object. */
static inline bool cpython_has_objects(const struct script_walk *walk)
{
	return cpython_layout_in(walk)->code_instructions;
}

/* Returns true if structs on the native stack lead to the frames. */
static inline bool cpython_has_cframes(const struct script_walk *walk)
{
	return cpython_layout_in(walk)->cframe_frame >= 0;
}

/* Returns true if there is another activation. The last cframe is the thread's own, without one. */
static inline bool cpython_has_more(struct script_walk *walk)
{
	uintptr_t previous = walk->at + (uintptr_t)cpython_layout_in(walk)->cframe_previous;

	if (!walk->at || !cpython_has_cframes(walk))
		return walk->at;
	return peek_can(&walk->peek, previous, WORD) && peek_word(&walk->peek, previous);
}

/* Takes the next activation, with its frames. False: it cannot be followed. */
bool cpython_next(struct script_walk *walk);

/* Adds the innermost frame of a function. False: it cannot be read. */
bool cpython_innermost(struct script_walk *walk);

/* Goes to the next activation, of which only the anchor is wanted. Passes *frames frames at most,
 * and counts them down. */
bool cpython_next_place(struct script_walk *walk, int *frames);

/* Returns true if an activation can have its anchor, or its object, there. */
bool cpython_can_be_anchor(struct script_walk *walk, uintptr_t address);

#endif
