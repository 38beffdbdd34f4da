/* SPDX-License-Identifier: MIT
 *
 * lua.c - the frames of Lua 5.4.
 *
 * A state has a list of frames; a coroutine is a state of its own. The evaluation function,
 * luaV_execute(), holds its state, the innermost frame of its activation and the instruction in
 * registers. The outermost frame of an activation is marked as fresh.
 *
 *	luaV_execute(): frame -> f -> g, fresh -> pcall() -> h ...
 *	luaV_execute(): frame -----------------------------> h -> main chunk, fresh -> ...
 *
 * A coroutine that is resumed has one native frame for frames of several activations, which are
 * begun again one after the other: so the outermost native frame of a state stands for all frames
 * of it that remain.
 *
 * Nothing exports luaV_execute(): it is found by the calls of lua_callk().
 */
#include "lua.h"

#include "callees.h"
#include "evaluation.h"
#include "fields.h"
#include "scripts.h"

#include "lua_layouts.h"

#define WORD       ((uintptr_t)8)
#define FRAMES_MAX 16384 /* of an activation: more is a loop */

/* Indices of the registers of arch_lua_held. */
enum { KEPT_FRAME, KEPT_OP, KEPT_STATE };

/* ---- finding ---- */

#define EVALUATION_BYTES 10000 /* at least; nothing else in Lua is half as large */
#define EVALUATION_DEPTH 2     /* functions between lua_callk() and it */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads "$LuaVersion: Lua 5.4.4  Copyright" as 50404; 0: it is something else. */
static uint32_t release_of(const struct dynsym *symbols, uintptr_t text)
{
	static const char start[] = "$LuaVersion: Lua ";
	char found[sizeof(start) + 6];
	const char *number = found + sizeof(start) - 1;

	if (!peek_bytes(symbols->peek, text, found, sizeof(found)) ||
	    __builtin_memcmp(found, start, sizeof(start) - 1) != 0 || !is_digit(number[0]) ||
	    !is_digit(number[2]) || !is_digit(number[4]) || is_digit(number[5]))
		return 0;
	return (uint32_t)((number[0] - '0') * 10000 + (number[2] - '0') * 100 + number[4] - '0');
}

static enum record_interpreter_state find(const struct dynsym *symbols,
					  struct interpreter_found *found)
{
	uintptr_t ident = dynsym_find(symbols, "lua_ident"),
		  call = dynsym_find(symbols, "lua_callk");
	uint8_t code[ARCH_HELD_BYTES];
	uint32_t release;

	if (!ident || !dynsym_find(symbols, "lua_newstate"))
		return RECORD_INTERPRETER_NONE;
	release = release_of(symbols, ident);
	*found = (struct interpreter_found){ .kind = &interpreter_lua,
					     .held = &arch_lua_held,
					     .version = release / 100 };
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if ((uint32_t)layouts[i].release == release)
			found->layout = &layouts[i];
	if (!found->layout || !call || sizeof(uintptr_t) != WORD)
		return RECORD_INTERPRETER_UNKNOWN;
	found->evaluation = callees_find(symbols, call, EVALUATION_BYTES, EVALUATION_DEPTH,
					 &found->evaluation_end);
	return callees_holds(symbols, found->evaluation, found->held, code)
		       ? RECORD_INTERPRETER_WALKED
		       : RECORD_INTERPRETER_UNKNOWN;
}

/* ---- lines ---- */

#define STEPS_MAX 128 /* Lua stores a line anew after so many instructions */

/* Returns the line of an instruction, by its number: the lines of some instructions are stored, and
 * a signed byte for each other one. 0: unknown. */
static uint32_t line_of(struct script_walk *walk, uintptr_t code, uint32_t number)
{
	const struct lua_layout *layout = walk->found->layout;
	uintptr_t lines = field_word(walk, code, layout->code_lines),
		  places = field_word(walk, code, layout->code_places);
	uint32_t count = field_half(walk, code, layout->code_place_count), low = 0;
	uint32_t line = field_half(walk, code, layout->code_line), from = 0;

	if (!lines || number >= field_half(walk, code, layout->code_line_count))
		return 0;
	for (uint32_t high = count; low < high;) {
		uint32_t middle = low + (high - low) / 2;
		uintptr_t place = places + middle * WORD;

		if (!field_can(walk, place - place % WORD, (int32_t)WORD))
			return 0;
		if (field_half(walk, place, 0) > number) {
			high = middle;
			continue;
		}
		from = field_half(walk, place, 0) + 1;
		line = field_half(walk, place, 4);
		low = middle + 1;
	}
	if (number + 1 - from > STEPS_MAX ||
	    !peek_can(&walk->peek, lines + from, (size_t)number + 2 - from))
		return 0;
	for (; from <= number; from++)
		line += (uint32_t)(int8_t)field_byte(walk, lines, (int32_t)from);
	return line;
}

/* ---- frames ---- */

/* Returns the code of a frame's function; 0: it has none in Lua. */
static uintptr_t code_of(struct script_walk *walk, uintptr_t state, uintptr_t frame)
{
	const struct lua_layout *layout = walk->found->layout;
	uintptr_t value = field_word(walk, frame, layout->frame_function), closure, code;

	if (value < field_word(walk, state, layout->state_stack) ||
	    value >= field_word(walk, state, layout->state_stack_end) ||
	    !field_can(walk, value, layout->value_bytes) ||
	    field_byte(walk, value, layout->value_type) != layout->type_closure)
		return 0;
	closure = field_word(walk, value, 0);
	if (!field_can(walk, closure, layout->closure_code + (int32_t)WORD))
		return 0;
	code = field_word(walk, closure, layout->closure_code);
	return field_can(walk, code, layout->code_bytes) &&
			       field_byte(walk, code, layout->object_type) == layout->code_type
		       ? code
		       : 0;
}

#define CHUNK_LINES 65535 /* of a main chunk, whose last line is not stored */

/* Adds a function at an instruction, which is behind the one that runs. A few instructions use its
 * register otherwise: then it is at the last one that has been stored. */
static void add(struct script_walk *walk, uintptr_t at, uintptr_t op, uintptr_t stored)
{
	const struct lua_layout *layout = walk->found->layout;
	uintptr_t ops = field_word(walk, at, layout->code_ops);
	uintptr_t bytes =
		(uintptr_t)field_half(walk, at, layout->code_count) * (uintptr_t)layout->op_bytes;
	uint32_t first = field_half(walk, at, layout->code_line),
		 last = field_half(walk, at, layout->code_line_end);
	struct script_code code = { .object = at,
				    .address = ops,
				    .name = at,
				    .file = field_word(walk, at, layout->code_source),
				    .table = field_word(walk, at, layout->code_lines),
				    .line = first ? first : 1 };
	uint32_t line = 0;

	if (!walk->count) {
		walk->code = ops;
		walk->code_end = ops + bytes;
	}
	if (op - ops > bytes || op == ops)
		op = stored;
	if (op - ops <= bytes)
		line = line_of(
			walk, at,
			op == ops ? 0 : (uint32_t)((op - ops) / (uintptr_t)layout->op_bytes) - 1);
	scripts_add(walk, &code, first ? last : CHUNK_LINES, line);
}

/* Returns true if the state has no further native frame. */
static bool is_outermost(const struct script_walk *walk)
{
	return walk->outer ? walk->outer[KEPT_STATE] != walk->kept[KEPT_STATE] : walk->is_complete;
}

/* Finds a frame in the list of its state, from where the previous activation has ended: a function
 * that returns is no longer in it, and its result is being stored in place of it. */
static bool is_live(struct script_walk *walk, uintptr_t state, uintptr_t frame)
{
	const struct lua_layout *layout = walk->found->layout;
	uintptr_t at =
		walk->last == state ? walk->at : field_word(walk, state, layout->state_frame);

	for (int i = 0; i < FRAMES_MAX && at != frame; i++) {
		if (!at || !field_can(walk, at, layout->frame_bytes))
			return false;
		at = field_word(walk, at, layout->frame_previous);
	}
	return at == frame && field_can(walk, at, layout->frame_bytes);
}

/* Returns true if the registers are of a state and of a frame of it. One that the next native frame
 * holds as well is that one's. */
static bool is_held(struct script_walk *walk)
{
	const struct lua_layout *layout = walk->found->layout;
	uintptr_t state = walk->kept[KEPT_STATE], frame = walk->kept[KEPT_FRAME];

	return !(walk->outer && walk->outer[KEPT_FRAME] == frame) &&
	       field_can(walk, state, layout->state_bytes) &&
	       field_byte(walk, state, layout->object_type) == layout->state_type &&
	       is_live(walk, state, frame);
}

static bool activation(struct script_walk *walk)
{
	const struct lua_layout *layout = walk->found->layout;
	uintptr_t state = walk->kept[KEPT_STATE], frame = walk->kept[KEPT_FRAME];
	bool is_whole = false;

	if (!is_held(walk))
		return false;
	for (int i = 0; i < FRAMES_MAX && frame && field_can(walk, frame, layout->frame_bytes);
	     i++) {
		uint32_t status = field_half(walk, frame, layout->frame_status) & 0xffff;
		bool is_native = status & (uint32_t)layout->status_native;
		uintptr_t code = is_native ? 0 : code_of(walk, state, frame);

		if (!code && !(is_native && is_whole))
			return false;
		if (code)
			add(walk, code, i ? 0 : walk->kept[KEPT_OP],
			    field_word(walk, frame, layout->frame_op));
		is_whole = is_whole || status & (uint32_t)layout->status_fresh;
		frame = field_word(walk, frame, layout->frame_previous);
		if (is_whole && !is_outermost(walk))
			break;
	}
	walk->last = state;
	walk->at = frame;
	return is_whole;
}

/* ---- names ---- */

/* Finds a text of Lua. */
static bool open_text(struct peek *peek, const struct lua_layout *layout, uintptr_t text,
		      uint64_t *length)
{
	uint8_t type, small;

	if (!text || !field_copy(peek, text, layout->object_type, &type, 1) ||
	    !field_copy(peek, text, layout->text_short_length, &small, 1) ||
	    !field_copy(peek, text, layout->text_length, length, sizeof(*length)))
		return false;
	if ((type & 0x3f) == layout->text_short)
		*length = small;
	return *length != 0;
}

/* Reads where a function is from: '@' and a file, '=' and a name, or the code itself. */
static void read_file(struct peek *peek, const struct lua_layout *layout, uintptr_t source,
		      struct script_facts *facts)
{
	char *to = facts->file;
	const char *end = facts->file + sizeof(facts->file);
	uint64_t length;
	char kind;

	if (open_text(peek, layout, source, &length) &&
	    field_copy(peek, source, layout->text, &kind, 1) && (kind == '@' || kind == '='))
		text_copy(to, end, peek, source + (uintptr_t)layout->text + 1, length - 1);
	else
		text_put(to, end, "[string]");
}

/* Appends a number. */
static char *put_number(char *to, const char *end, uint32_t number)
{
	char digits[11] = "", *at = digits + sizeof(digits) - 1;

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	return text_put(to, end, at);
}

/* Functions of Lua have no names: they are called as in its own tracebacks. */
static void name(struct script_facts *facts)
{
	const char *end = facts->name + sizeof(facts->name), *file = facts->file;
	char *to;

	for (const char *at = file; *at; at++)
		if (*at == '/')
			file = at + 1;
	to = text_put(facts->name, end, facts->line ? "function <" : "main chunk");
	if (!facts->line)
		return;
	to = text_put(to, end - 16, file);
	to = put_number(text_put(to, end, ":"), end, facts->line);
	text_put(to, end, ">");
}

static bool describe(struct peek *peek, const struct interpreter_found *found, uintptr_t code,
		     struct script_facts *facts)
{
	const struct lua_layout *layout = found->layout;
	uintptr_t source;

	if (!field_copy(peek, code, layout->code_source, &source, sizeof(source)) ||
	    !field_copy(peek, code, layout->code_line, &facts->line, sizeof(facts->line)))
		return false;
	read_file(peek, layout, source, facts);
	name(facts);
	if (!facts->line)
		facts->line = 1;
	return true;
}

const struct interpreter interpreter_lua = {
	.language = RECORD_LUA,
	.find = find,
	.activation = activation,
	.describe = describe,
};
