/* SPDX-License-Identifier: MIT
 *
 * cpython.c - the frames of CPython 3.11 to 3.13.
 *
 * The evaluation function keeps a struct of its own on the native stack, and all of a thread are
 * linked, the innermost first; so each shows by its address which native frame it belongs to.
 *
 *	3.11	a cframe, which has the innermost Python frame of the activation; the last one is
 *		marked as the entry
 *	3.12	the same; the last one is an entry frame, which is of no function
 *	3.13	the entry frame alone
 *
 *	thread state -> cframe -------------------> cframe -> ... 0
 *	                  |                           |
 *	                frame -> frame -> entry -> frame -> entry -> ... 0
 *
 * A signal may come while a frame is being pushed or popped. Then a pointer or a mark does not fit,
 * and the activation remains a native frame.
 */
#include "cpython.h"

#include <pthread.h>

#include "scripts.h"
#include "thread.h"

#include "cpython_layouts.h"

#define WORD        ((uintptr_t)8)
#define OBJECT_TYPE WORD  /* ob_type, behind the count of references */
#define UNIT_BYTES  2     /* of an instruction */
#define FRAMES_MAX  16384 /* of an activation: more is a loop */

/* ---- finding ---- */

static const struct cpython_layout *layout_of(uint32_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version >> 16)
			return &layouts[i];
	return NULL;
}

static bool read_word(uintptr_t address, uintptr_t *word)
{
	return memory_read_self(NULL, address, word, sizeof(*word));
}

/* Checks that code objects are as large as they should be: builds for debugging have other ones. */
static bool is_as_expected(const struct cpython_layout *layout, uintptr_t code_type)
{
	uintptr_t basic, item;

	return read_word(code_type + (uintptr_t)layout->type_basic, &basic) &&
	       read_word(code_type + (uintptr_t)layout->type_item, &item) &&
	       basic == (uintptr_t)layout->code_bytes && item == UNIT_BYTES;
}

static enum record_interpreter_state find(const struct dynsym *symbols,
					  struct interpreter_found *found)
{
	uintptr_t version = 0, state = dynsym_find(symbols, "_PyRuntime"), at;
	const struct cpython_layout *layout;

	if (!state)
		return RECORD_INTERPRETER_NONE;
	at = dynsym_find(symbols, "Py_Version");
	if (at && !read_word(at, &version))
		return RECORD_INTERPRETER_NONE;
	*found = (struct interpreter_found){ .kind = &interpreter_cpython,
					     .state = state,
					     .code_type = dynsym_find(symbols, "PyCode_Type"),
					     .version = (uint32_t)version };
	layout = layout_of(found->version);
	if (!layout || sizeof(uintptr_t) != WORD)
		return RECORD_INTERPRETER_UNKNOWN;
	found->layout = layout;
	return found->code_type && is_as_expected(layout, found->code_type)
		       ? RECORD_INTERPRETER_WALKED
		       : RECORD_INTERPRETER_UNKNOWN;
}

/* ---- the thread ---- */

static const struct cpython_layout *layout_in(const struct script_walk *walk)
{
	return walk->found->layout;
}

/* Returns a thread state, if it is of the calling thread; else 0. */
static uintptr_t own(struct script_walk *walk, uintptr_t thread)
{
	uintptr_t id = thread + (uintptr_t)layout_in(walk)->thread_id;

	return thread && peek_can(&walk->peek, id, WORD) &&
			       peek_word(id) == (uintptr_t)pthread_self()
		       ? thread
		       : 0;
}

/* Returns the thread state that the thread has had first; 0: none. */
static uintptr_t first_state(struct script_walk *walk)
{
	const struct cpython_layout *layout = layout_in(walk);
	uintptr_t has = walk->found->state + (uintptr_t)layout->runtime_has_key;
	uintptr_t key = walk->found->state + (uintptr_t)layout->runtime_key;

	if (!peek_can(&walk->peek, has, WORD) || !peek_can(&walk->peek, key, WORD) ||
	    !(uint32_t)peek_word(has))
		return 0;
	return own(walk, (uintptr_t)pthread_getspecific((pthread_key_t)peek_word(key)));
}

/* Returns the thread state that runs, if the calling thread has the interpreter's lock; else 0. */
static uintptr_t running_state(struct script_walk *walk)
{
	uintptr_t at = walk->found->state + (uintptr_t)layout_in(walk)->runtime_current;

	if (!layout_in(walk)->runtime_current || !peek_can(&walk->peek, at, WORD))
		return 0;
	return own(walk, peek_word(at));
}

/* Goes to the innermost cframe of a thread state, or to its frame. */
static void enter(struct script_walk *walk, uintptr_t thread)
{
	uintptr_t at = thread + (uintptr_t)layout_in(walk)->thread_frame;

	walk->at = peek_can(&walk->peek, at, WORD) ? peek_word(at) : 0;
}

/* ---- frames ---- */

/* Returns the offset of a frame's instruction. A new frame is before its first. */
static bool offset_of(uintptr_t instruction, uintptr_t first, size_t bytes, size_t *offset)
{
	*offset = instruction >= first ? instruction - first : 0;
	return instruction + UNIT_BYTES >= first && *offset <= bytes;
}

/* Adds a frame to those of the activation. False: it is not one, or not yet. */
static bool add(struct script_walk *walk, uintptr_t frame)
{
	const struct cpython_layout *layout = layout_in(walk);
	uintptr_t at = peek_word(frame + (uintptr_t)layout->frame_code);
	uintptr_t instruction = peek_word(frame + (uintptr_t)layout->frame_instruction);
	struct script_code code = { .address = at };
	size_t offset;

	if (!peek_can(&walk->peek, at, (size_t)layout->code_bytes) ||
	    peek_word(at + OBJECT_TYPE) != walk->found->code_type)
		return false;
	code.name = peek_word(at + (uintptr_t)layout->code_name);
	code.file = peek_word(at + (uintptr_t)layout->code_file);
	code.table = peek_word(at + (uintptr_t)layout->code_table);
	code.line = (uint32_t)peek_word(at + (uintptr_t)layout->code_line);
	code.bytes = peek_word(at + (uintptr_t)layout->code_units) * UNIT_BYTES;
	if (!offset_of(instruction, at + (uintptr_t)layout->code_bytes, code.bytes, &offset))
		return false;
	/* Without a name, it is a step between two functions. */
	if (!code.name)
		return true;
	walk->is_cut = walk->count == SCRIPT_DEPTH;
	if (!walk->is_cut)
		walk->pcs[walk->count++] =
			(uintptr_t)scripts_address(walk->writer, walk->found, &code, offset);
	return true;
}

/* Returns true for a frame that belongs to no function, and ends an activation. */
static bool is_entry_frame(const struct cpython_layout *layout, uintptr_t frame)
{
	return layout->frame_stack_owner &&
	       peek_byte(frame + (uintptr_t)layout->frame_owner) == layout->frame_stack_owner;
}

/* Returns true for a function's frame that ends an activation. */
static bool is_last(const struct cpython_layout *layout, uintptr_t frame)
{
	return layout->frame_is_entry && peek_byte(frame + (uintptr_t)layout->frame_is_entry);
}

/* Adds frames from one on, up to the activation's end, where `outer` follows. */
static bool add_all(struct script_walk *walk, uintptr_t frame, uintptr_t outer)
{
	const struct cpython_layout *layout = layout_in(walk);

	for (int i = 0; i < FRAMES_MAX && frame; i++) {
		uintptr_t previous;
		bool is_end;

		if (!peek_can(&walk->peek, frame, (size_t)layout->frame_bytes))
			return false;
		previous = peek_word(frame + (uintptr_t)layout->frame_previous);
		is_end = is_entry_frame(layout, frame);
		if (!is_end && !add(walk, frame))
			return false;
		if (is_end || is_last(layout, frame))
			return previous == outer;
		frame = previous;
	}
	return false;
}

/* Takes the activation of a cframe. One that is being changed has no frames for now. */
static bool next_cframe(struct script_walk *walk)
{
	const struct cpython_layout *layout = layout_in(walk);
	uintptr_t cframe = walk->at, outer = 0;

	if (!peek_can(&walk->peek, cframe, (size_t)layout->cframe_previous + WORD))
		return false;
	walk->at = peek_word(cframe + (uintptr_t)layout->cframe_previous);
	if (walk->at && peek_can(&walk->peek, walk->at, (size_t)layout->cframe_previous + WORD))
		outer = peek_word(walk->at + (uintptr_t)layout->cframe_frame);
	walk->anchor = cframe;
	if (!add_all(walk, peek_word(cframe + (uintptr_t)layout->cframe_frame), outer))
		walk->count = 0;
	return true;
}

/* Adds frames up to an entry frame. */
static bool next_entry(struct script_walk *walk)
{
	const struct cpython_layout *layout = layout_in(walk);

	for (int i = 0; i < FRAMES_MAX && walk->at; i++) {
		uintptr_t frame = walk->at;

		if (!peek_can(&walk->peek, frame, (size_t)layout->frame_bytes))
			return false;
		walk->at = peek_word(frame + (uintptr_t)layout->frame_previous);
		if (is_entry_frame(layout, frame)) {
			walk->anchor = frame;
			return true;
		}
		if (!add(walk, frame))
			return false;
	}
	return false;
}

static bool has_cframes(const struct script_walk *walk)
{
	return layout_in(walk)->cframe_frame >= 0;
}

/* Returns true if there is another activation. The last cframe is the thread's own, without one. */
static bool has_more(struct script_walk *walk)
{
	uintptr_t previous = walk->at + (uintptr_t)layout_in(walk)->cframe_previous;

	if (!walk->at || !has_cframes(walk))
		return walk->at;
	return peek_can(&walk->peek, previous, WORD) && peek_word(previous);
}

static bool next(struct script_walk *walk)
{
	walk->count = 0;
	walk->is_cut = false;
	/* Activations of a sub-interpreter are inside one of the thread's first interpreter. */
	if (!has_more(walk) && walk->last) {
		enter(walk, walk->last);
		walk->last = 0;
	}
	if (!has_more(walk))
		return false;
	return has_cframes(walk) ? next_cframe(walk) : next_entry(walk);
}

static bool begin(struct script_walk *walk)
{
	uintptr_t first, running;

	if (!arch_has_thread_locals())
		return false;
	running = running_state(walk);
	first = first_state(walk);
	if (!running && !first)
		return false;
	walk->last = running && running != first ? first : 0;
	enter(walk, running ? running : first);
	return next(walk);
}

const struct interpreter interpreter_cpython = {
	.language = RECORD_PYTHON,
	.find = find,
	.begin = begin,
	.next = next,
	.describe = cpython_describe,
};
