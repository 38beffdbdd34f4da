/* SPDX-License-Identifier: MIT
 *
 * place.h - which native frame an activation belongs to: the one whose part of the stack has its
 * anchor. Where there is none, the evaluation function keeps a pointer to its frame object at one
 * place in all of its native frames; that is learnt from a stack in which all fit. In a handler.
 */
#ifndef DWELL_INTERPRETER_PLACE_H
#define DWELL_INTERPRETER_PLACE_H

#include "interpreter.h"
#include "recording/write/stacks.h"

/* A native stack. */
struct place_stack {
	const uint64_t *pcs; /* by frame, the innermost first */
	const uintptr_t *sps;
	int depth;
};

/* Returns true for a frame of the evaluation function, less parts of it that the compiler has put
 * elsewhere. The outermost frame is the start of the thread. */
static inline bool place_evaluates(const struct place_stack *stack, int frame,
				   const struct interpreter_found *found)
{
	return frame + 1 < stack->depth && found->evaluation <= stack->pcs[frame] &&
	       stack->pcs[frame] < found->evaluation_end;
}

/* Returns true for an address in a frame that is not the outermost. */
static inline bool place_is_in(const struct place_stack *stack, int frame, uintptr_t address)
{
	return frame + 1 < stack->depth && stack->sps[frame] <= address &&
	       address < stack->sps[frame + 1];
}

/* Returns true if a frame keeps a pointer to the activation's object so far below its caller's
 * stack pointer. */
static inline bool place_holds(const struct place_stack *stack, int frame, struct script_walk *walk,
			       uintptr_t below)
{
	uintptr_t at = stack->sps[frame + 1] - below, word;

	if (!place_is_in(stack, frame, at) || !peek_can(&walk->peek, at, sizeof(word)))
		return false;
	word = peek_word(&walk->peek, at);
	return word == walk->object || word == walk->object_end;
}

/* Returns true if the activation that the walk is at belongs to a native frame. `below` is so far
 * below its caller's stack pointer that the frame keeps a pointer to its object; 0: it is not
 * known. */
static inline bool place_is_here(const struct place_stack *stack, int frame,
				 struct script_walk *walk, uintptr_t below)
{
	if (walk->anchor)
		return place_is_in(stack, frame, walk->anchor);
	return below && frame + 1 < stack->depth && place_holds(stack, frame, walk, below);
}

/* Walks a thread from its begin on. Returns how far below its caller's stack pointer each native
 * frame of the evaluation function keeps a pointer to its object; 0: they are not all at one place,
 * or a frame is being pushed or popped. */
uintptr_t place_learn(const struct place_stack *stack, struct script_walk *walk);

#endif
