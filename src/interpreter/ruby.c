/* SPDX-License-Identifier: MIT
 *
 * ruby.c - the frames of Ruby 3.1.
 *
 * The frames of a context, which is a thread or a fiber, are an array, the innermost first, up to
 * the end of its stack. The evaluation function, vm_exec_core(), holds the context, the innermost
 * frame of its activation and the instruction in registers. The outermost frame of an activation is
 * marked to finish it. Methods that are implemented in C have frames too, between activations.
 *
 *	array of frames   block in f | f, finish | each (C) | g | main, finish |
 *	vm_exec_core() -> ^                                   ^
 *	vm_exec_core() ---------------------------------------|
 *
 * Nothing exports vm_exec_core(): it is found by the calls of rb_vm_exec().
 */
#include "ruby.h"

#include "callees.h"
#include "evaluation.h"
#include "fields.h"
#include "scripts.h"

#include "ruby_layouts.h"

#define WORD       ((uintptr_t)8)
#define FRAMES_MAX 16384 /* of an activation: more is a loop */

/* Indices of the registers of arch_ruby_held. */
enum { KEPT_CONTEXT, KEPT_FRAME, KEPT_PC };

/* ---- finding ---- */

#define EVALUATION_BYTES 12000 /* at least */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads "3.1.2" as 301; 0: it is something else. */
static uint32_t version_of(const struct dynsym *symbols, uintptr_t text)
{
	char digits[4];

	if (!peek_bytes(symbols->peek, text, digits, sizeof(digits)) || !is_digit(digits[0]) ||
	    digits[1] != '.' || !is_digit(digits[2]) || digits[3] != '.')
		return 0;
	return (uint32_t)((digits[0] - '0') * 100 + digits[2] - '0');
}

static enum record_interpreter_state find(const struct dynsym *symbols,
					  struct interpreter_found *found)
{
	uintptr_t version = dynsym_find(symbols, "ruby_version"),
		  run = dynsym_find(symbols, "rb_vm_exec");
	uint8_t code[ARCH_HELD_BYTES];

	if (!version || !dynsym_find(symbols, "ruby_run_node"))
		return RECORD_INTERPRETER_NONE;
	*found = (struct interpreter_found){ .kind = &interpreter_ruby,
					     .held = &arch_ruby_held,
					     .version = version_of(symbols, version) };
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if ((uint32_t)layouts[i].version == found->version)
			found->layout = &layouts[i];
	if (!found->layout || !run || sizeof(uintptr_t) != WORD)
		return RECORD_INTERPRETER_UNKNOWN;
	found->evaluation = callees_find(symbols, run, EVALUATION_BYTES, 0, &found->evaluation_end);
	return callees_holds(symbols, found->evaluation, found->held, code)
		       ? RECORD_INTERPRETER_WALKED
		       : RECORD_INTERPRETER_UNKNOWN;
}

/* ---- lines ---- */

/*
 * An index of the instructions that begin a line, by their place. Places below 54 have the number
 * of lines up to them, 7 bits each, nine a word. Then come blocks of 512 places: the number of
 * lines before them; 9 bits for each of their parts but the first, the number before it in the
 * block; and a bit for each place.
 */
enum {
	NEAR_PLACES = 54,
	NEAR_IN_WORD = 9,
	NEAR_BITS = 7,
	BLOCK_START = 48,
	BLOCK_BYTES = 80,
	BLOCK_PLACES = 512,
	PART_PLACES = 64,
	PART_BITS = 9,
	PARTS_AT = 8,
	BITS_AT = 16,
};

/* Returns how many lines begin up to a place; 0: unknown. */
static uint32_t rank_of(struct script_walk *walk, uintptr_t index, uint32_t place)
{
	uint32_t beyond = place - NEAR_PLACES, part = beyond % BLOCK_PLACES / PART_PLACES;
	uintptr_t block = index + BLOCK_START + (uintptr_t)(beyond / BLOCK_PLACES) * BLOCK_BYTES;
	uintptr_t near = index + place / NEAR_IN_WORD * WORD;
	uint64_t bits;
	uint32_t rank;

	if (place < NEAR_PLACES)
		return field_can(walk, near, (int32_t)WORD)
			       ? field_word(walk, near, 0) >> place % NEAR_IN_WORD * NEAR_BITS &
					 0x7f
			       : 0;
	if (!field_can(walk, block, BLOCK_BYTES))
		return 0;
	rank = field_half(walk, block, 0);
	if (part)
		rank += field_word(walk, block, PARTS_AT) >> (part - 1) * PART_BITS & 0x1ff;
	bits = field_word(walk, block, BITS_AT + (int32_t)(part * WORD));
	/* The compiler's own count of bits is a function of a library. */
	for (bits <<= 63 - beyond % PART_PLACES; bits; bits &= bits - 1)
		rank++;
	return rank;
}

/* Returns the line of the instruction before a place; 0: unknown. */
static uint32_t line_of(struct script_walk *walk, uintptr_t body, uint32_t place)
{
	const struct ruby_layout *layout = walk->found->layout;
	uint32_t count = field_half(walk, body, layout->body_place_count), rank = 1;
	uintptr_t at;

	if (count > 1)
		rank = rank_of(walk, field_word(walk, body, layout->body_index),
			       place ? place - 1 : 0);
	at = field_word(walk, body, layout->body_places) +
	     (uintptr_t)(rank - 1) * (uintptr_t)layout->place_bytes;
	return rank && rank <= count &&
			       peek_can(&walk->peek, at, (size_t)layout->place_bytes + WORD)
		       ? field_half(walk, at, layout->place_line)
		       : 0;
}

/* ---- frames ---- */

static bool is_function(struct script_walk *walk, uintptr_t code)
{
	const struct ruby_layout *layout = walk->found->layout;

	return code && field_can(walk, code, layout->code_body + (int32_t)WORD) &&
	       (field_half(walk, code, 0) & (uint32_t)layout->code_mask) ==
		       (uint32_t)layout->code_type &&
	       field_can(walk, field_word(walk, code, layout->code_body), layout->body_bytes);
}

/* Adds a function at an instruction, or behind it. A few instructions use its register otherwise:
 * then it is at the last one that has been stored. */
static void add(struct script_walk *walk, uintptr_t at, uintptr_t pc, uintptr_t stored)
{
	const struct ruby_layout *layout = walk->found->layout;
	uintptr_t body = field_word(walk, at, layout->code_body);
	uintptr_t start = field_word(walk, body, layout->body_start);
	uintptr_t bytes = field_half(walk, body, layout->body_words) * WORD;
	struct script_code code = {
		.object = at,
		.address = start,
		.name = field_word(walk, body, layout->body_label),
		.file = field_word(walk, body, layout->body_path),
		.table = body,
		/* Small numbers are twice as large, and odd. */
		.line = (uint32_t)(field_word(walk, body, layout->body_line) >> 1),
	};

	if (!walk->count) {
		walk->code = start;
		walk->code_end = start + bytes;
	}
	if (pc - start > bytes)
		pc = stored;
	scripts_add(walk, &code, field_half(walk, body, layout->body_line_end),
		    pc - start <= bytes ? line_of(walk, body, (uint32_t)((pc - start) / WORD)) : 0);
}

/* Returns true if the registers are of a context and of a frame of it. One that the next native
 * frame holds as well is that one's. *end receives the end of the frames. */
static bool is_held(struct script_walk *walk, uintptr_t *end)
{
	const struct ruby_layout *layout = walk->found->layout;
	uintptr_t context = walk->kept[KEPT_CONTEXT], frame = walk->kept[KEPT_FRAME];

	if ((walk->outer && walk->outer[KEPT_FRAME] == frame) ||
	    !field_can(walk, context, layout->context_bytes))
		return false;
	*end = field_word(walk, context, layout->context_stack) +
	       field_word(walk, context, layout->context_stack_words) * WORD;
	return frame >= field_word(walk, context, layout->context_frame) && frame < *end;
}

static bool activation(struct script_walk *walk)
{
	const struct ruby_layout *layout = walk->found->layout;
	uintptr_t frame = walk->kept[KEPT_FRAME], end;

	if (!is_held(walk, &end))
		return false;
	for (int i = 0; i < FRAMES_MAX && frame < end; i++) {
		uintptr_t code, ep, flags;

		if (!field_can(walk, frame, layout->frame_bytes))
			return false;
		code = field_word(walk, frame, layout->frame_code);
		ep = field_word(walk, frame, layout->frame_ep);
		if (!field_can(walk, ep, layout->flags + (int32_t)WORD))
			return false;
		flags = field_word(walk, ep, layout->flags);
		if (flags & (uintptr_t)layout->flag_native || !is_function(walk, code))
			return false;
		add(walk, code, i ? 0 : walk->kept[KEPT_PC],
		    field_word(walk, frame, layout->frame_pc));
		if (flags & (uintptr_t)layout->flag_finish)
			return true;
		frame += (uintptr_t)layout->frame_bytes;
	}
	return false;
}

/* ---- names ---- */

static bool read_word(struct peek *peek, uintptr_t start, int32_t offset, uintptr_t *word)
{
	return start && start % WORD == 0 && field_copy(peek, start, offset, word, sizeof(*word));
}

static bool is_type(const struct ruby_layout *layout, uintptr_t flags, int32_t type)
{
	return (flags & (uintptr_t)layout->type_mask) == (uintptr_t)type;
}

/* Copies the end of a text, which is in its object or outside of it. */
static bool copy(struct peek *peek, const struct ruby_layout *layout, uintptr_t text, char *to,
		 const char *end)
{
	uintptr_t flags, data = text + (uintptr_t)layout->text_inside, length;

	if (!read_word(peek, text, 0, &flags) || !is_type(layout, flags, layout->type_text))
		return false;
	length = flags >> layout->text_inside_shift & (uintptr_t)layout->text_inside_mask;
	if (flags & (uintptr_t)layout->text_outside &&
	    (!read_word(peek, text, layout->text_length, &length) ||
	     !read_word(peek, text, layout->text_data, &data)))
		return false;
	text_copy(to, end, peek, data, length);
	return true;
}

/* Returns the path of a function: a text, or the first of a list. */
static uintptr_t path_of(struct peek *peek, const struct ruby_layout *layout, uintptr_t object)
{
	uintptr_t flags, data = object + (uintptr_t)layout->list_inside, path;

	if (!read_word(peek, object, 0, &flags))
		return 0;
	if (!is_type(layout, flags, layout->type_list))
		return object;
	if (!(flags & (uintptr_t)layout->list_inside_flag) &&
	    !read_word(peek, object, layout->list_data, &data))
		return 0;
	return read_word(peek, data, 0, &path) ? path : 0;
}

static bool describe(struct peek *peek, const struct interpreter_found *found, uintptr_t code,
		     struct script_facts *facts)
{
	const struct ruby_layout *layout = found->layout;
	uintptr_t body, label, path, line;

	if (!read_word(peek, code, layout->code_body, &body) ||
	    !read_word(peek, body, layout->body_label, &label) ||
	    !read_word(peek, body, layout->body_path, &path) ||
	    !read_word(peek, body, layout->body_line, &line))
		return false;
	facts->line = (uint32_t)(line >> 1);
	return copy(peek, layout, label, facts->name, facts->name + sizeof(facts->name)) &&
	       copy(peek, layout, path_of(peek, layout, path), facts->file,
		    facts->file + sizeof(facts->file));
}

const struct interpreter interpreter_ruby = {
	.language = RECORD_RUBY,
	.find = find,
	.activation = activation,
	.describe = describe,
};
