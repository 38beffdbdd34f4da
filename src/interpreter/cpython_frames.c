/* SPDX-License-Identifier: MIT
 *
 * cpython_frames.c - the frames of CPython 3.8 to 3.14.
 *
 * From 3.11 on, the evaluation function keeps a struct of its own on the native stack, and all of a
 *thread are linked, the innermost first; so each shows by its address which native frame it belongs
 *to.
 *
 *	3.11	a cframe, which has the innermost Python frame of the activation; the last one is
 *		marked as the entry
 *	3.12	the same; the last one is an entry frame, which is of no function
 *	3.13	the entry frame alone, as in 3.14
 *
 *	thread state -> cframe -------------------> cframe -> ... 0
 *	                  |                           |
 *	                frame -> frame -> entry -> frame -> entry -> ... 0
 *
 * Up to 3.10, an activation runs one frame, which is an object:
 *
 *	thread state -> frame -> frame -> ... 0
 *
 * The evaluation function keeps a pointer to it in its native frame: place.c finds that.
 *
 * A signal may come while a frame is being pushed or popped. Then a pointer or a mark does not fit,
 * and the activation remains a native frame. A new cframe may be linked before it leads to the
 * next: interpreters.c finds that one by its place in the native frame.
 */
#include "cpython_frames.h"

#include "scripts.h"

#define UNIT_BYTES 2              /* of an instruction */
#define CODE_TAG   ((uintptr_t)1) /* 3.14: in a pointer that holds no reference */
#define FRAMES_MAX 16384          /* of an activation: more is a loop */
#define IN_ORDER   2              /* frames, the one that may be pushed or popped and its caller */

/* Frames up to the first one of a function: others are steps between two functions. */
#define INNERMOST_MAX 16

/* Returns the offset of a frame's instruction. A new frame is before its first. */
static bool offset_of(uintptr_t instruction, uintptr_t first, size_t bytes, size_t *offset)
{
	*offset = instruction >= first ? instruction - first : 0;
	return instruction + UNIT_BYTES >= first && *offset <= bytes;
}

/* Finds the instructions of a code object. */
static bool find_instructions(struct script_walk *walk, uintptr_t code, uintptr_t *first,
			      size_t *bytes)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t object = peek_word(&walk->peek, code + (uintptr_t)layout->code_instructions);

	if (!layout->code_instructions) {
		*first = code + (uintptr_t)layout->code_bytes;
		*bytes = peek_word(&walk->peek, code + (uintptr_t)layout->code_units) * UNIT_BYTES;
	} else {
		if (!peek_can(&walk->peek, object, (size_t)layout->bytes_data))
			return false;
		*first = object + (uintptr_t)layout->bytes_data;
		*bytes = peek_word(&walk->peek, object + (uintptr_t)layout->bytes_length);
	}
	return *bytes < UINT32_MAX;
}

/* Returns the address of a frame's instruction. */
static uintptr_t instruction_of(struct script_walk *walk, uintptr_t frame, uintptr_t first)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t word = peek_word(&walk->peek, frame + (uintptr_t)layout->frame_instruction);

	return layout->frame_unit ? first + (uintptr_t)((int32_t)word * layout->frame_unit) : word;
}

/* Adds a frame to those of the activation. False: it is not one, or not yet. */
static bool add(struct script_walk *walk, uintptr_t frame)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t at = peek_word(&walk->peek, frame + (uintptr_t)layout->frame_code) & ~CODE_TAG;
	struct script_code code = { .object = at, .address = at };
	uintptr_t first;
	size_t offset;

	if (!peek_can(&walk->peek, at, (size_t)layout->code_bytes) ||
	    peek_word(&walk->peek, at + OBJECT_TYPE) != walk->found->code_type)
		return false;
	code.name = peek_word(&walk->peek, at + (uintptr_t)layout->code_name);
	code.file = peek_word(&walk->peek, at + (uintptr_t)layout->code_file);
	code.table = peek_word(&walk->peek, at + (uintptr_t)layout->code_table);
	code.line = (uint32_t)peek_word(&walk->peek, at + (uintptr_t)layout->code_line);
	if (!find_instructions(walk, at, &first, &code.bytes) ||
	    !offset_of(instruction_of(walk, frame, first), first, code.bytes, &offset))
		return false;
	walk->peek.trusts = walk->peek.trusts || ++walk->in_order >= IN_ORDER;
	/* Without a name, or with that of its file, it is a step between two functions. */
	if (!code.name || code.name == code.file)
		return true;
	if (!walk->count) {
		walk->code = first;
		walk->code_end = walk->code + code.bytes;
	}
	walk->is_cut = walk->count == SCRIPT_DEPTH;
	if (!walk->is_cut)
		walk->pcs[walk->count++] = scripts_address(walk, &code, offset);
	return true;
}

/* Returns true for a frame that belongs to no function, and ends an activation. */
static bool is_entry_frame(struct script_walk *walk, uintptr_t frame)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);

	return layout->frame_stack_owner &&
	       peek_byte(&walk->peek, frame + (uintptr_t)layout->frame_owner) ==
		       layout->frame_stack_owner;
}

/* Returns true for a function's frame that ends an activation. */
static bool is_last(struct script_walk *walk, uintptr_t frame)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);

	return layout->frame_is_entry &&
	       peek_byte(&walk->peek, frame + (uintptr_t)layout->frame_is_entry);
}

/* Adds frames from one on, up to the activation's end, where `outer` follows. */
static bool add_all(struct script_walk *walk, uintptr_t frame, uintptr_t outer)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);

	for (int i = 0; i < FRAMES_MAX && frame; i++) {
		uintptr_t previous;
		bool is_end;

		if (!peek_can(&walk->peek, frame, (size_t)layout->frame_bytes))
			return false;
		previous = peek_word(&walk->peek, frame + (uintptr_t)layout->frame_previous);
		is_end = is_entry_frame(walk, frame);
		if (!is_end && !add(walk, frame))
			return false;
		if (is_end || is_last(walk, frame))
			return previous == outer;
		frame = previous;
	}
	return false;
}

/* Takes the activation of a cframe. One that is being changed has no frames for now. */
static bool next_cframe(struct script_walk *walk)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t cframe = walk->at, outer = 0;

	if (!peek_can(&walk->peek, cframe, (size_t)layout->cframe_previous + WORD))
		return false;
	walk->at = peek_word(&walk->peek, cframe + (uintptr_t)layout->cframe_previous);
	if (walk->at && peek_can(&walk->peek, walk->at, (size_t)layout->cframe_previous + WORD))
		outer = peek_word(&walk->peek, walk->at + (uintptr_t)layout->cframe_frame);
	walk->anchor = cframe;
	if (!add_all(walk, peek_word(&walk->peek, cframe + (uintptr_t)layout->cframe_frame), outer))
		walk->count = 0;
	return true;
}

/* Adds frames up to an entry frame. An activation with one that is being changed has no frames for
 * now. */
static bool next_entry(struct script_walk *walk)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	bool is_whole = true;

	for (int i = 0; i < FRAMES_MAX && walk->at; i++) {
		uintptr_t frame = walk->at;

		if (!peek_can(&walk->peek, frame, (size_t)layout->frame_bytes))
			return false;
		walk->at = peek_word(&walk->peek, frame + (uintptr_t)layout->frame_previous);
		if (is_entry_frame(walk, frame)) {
			walk->anchor = frame;
			if (!is_whole)
				walk->count = 0;
			return true;
		}
		is_whole = is_whole && add(walk, frame);
	}
	return false;
}

/* Takes the activation of a frame that is an object. */
static bool next_object(struct script_walk *walk)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t frame = walk->at;

	if (!peek_can(&walk->peek, frame, (size_t)layout->frame_bytes))
		return false;
	walk->at = peek_word(&walk->peek, frame + (uintptr_t)layout->frame_previous);
	walk->anchor = 0;
	walk->object = frame;
	walk->object_end = frame + (uintptr_t)layout->frame_bytes;
	if (!add(walk, frame))
		walk->count = 0;
	return true;
}

bool cpython_next_place(struct script_walk *walk, int *frames)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	int32_t link = cpython_has_cframes(walk) ? layout->cframe_previous : layout->frame_previous;
	size_t bytes =
		cpython_has_cframes(walk) ? (size_t)link + WORD : (size_t)layout->frame_bytes;

	while (cpython_has_more(walk) && (*frames)-- > 0) {
		walk->anchor = walk->at;
		if (!peek_can(&walk->peek, walk->at, bytes))
			return false;
		walk->at = peek_word(&walk->peek, walk->at + (uintptr_t)link);
		if (cpython_has_cframes(walk) || is_entry_frame(walk, walk->anchor))
			return true;
	}
	return false;
}

bool cpython_next(struct script_walk *walk)
{
	if (cpython_has_objects(walk))
		return next_object(walk);
	return cpython_has_cframes(walk) ? next_cframe(walk) : next_entry(walk);
}

bool cpython_innermost(struct script_walk *walk)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t frame = walk->at;

	if (frame && cpython_has_cframes(walk)) {
		uintptr_t at = frame + (uintptr_t)layout->cframe_frame;

		if (!peek_can(&walk->peek, at, WORD))
			return false;
		frame = peek_word(&walk->peek, at);
	}
	for (int i = 0; i < INNERMOST_MAX && frame && !walk->count; i++) {
		if (!peek_can(&walk->peek, frame, (size_t)layout->frame_bytes) ||
		    (!is_entry_frame(walk, frame) && !add(walk, frame)))
			return false;
		frame = peek_word(&walk->peek, frame + (uintptr_t)layout->frame_previous);
	}
	return walk->count || !frame;
}

bool cpython_can_be_anchor(struct script_walk *walk, uintptr_t address)
{
	return cpython_has_cframes(walk) || cpython_has_objects(walk) ||
	       (peek_can(&walk->peek, address, (size_t)cpython_layout_in(walk)->frame_bytes) &&
		is_entry_frame(walk, address));
}
