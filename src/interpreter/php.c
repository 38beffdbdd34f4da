/* SPDX-License-Identifier: MIT
 *
 * php.c - the frames of PHP 8.2.
 *
 * PHP has its frames in memory of its own, each linked to its caller. The evaluation function,
 * execute_ex(), holds the innermost frame of its activation in a register, and the instruction of
 * that in another one; both for as long as it runs. The outermost frame of an activation is marked.
 *
 *	execute_ex():  frame -> f -> g, top -> array_map() -> h ...
 *	execute_ex():  frame -------------------------------> h -> main, top -> 0
 *
 * Functions that PHP implements in C have frames too, between activations: the native stack shows
 * these. When execute_ex() begins or ends, the register is not its own; then it leads to no frame,
 * or to that of the next execute_ex(), and the native frame remains.
 */
#include "php.h"

#include "callees.h"
#include "evaluation.h"
#include "fields.h"
#include "scripts.h"

#include "php_layouts.h"

#define WORD       ((uintptr_t)8)
#define FRAMES_MAX 16384 /* of an activation: more is a loop */

/* Indices of the registers of arch_php_held. */
enum { KEPT_FRAME, KEPT_OP };

/* ---- finding ---- */

/* Checks execute_ex(), for which both registers are global variables. */
static bool find_held(const struct dynsym *symbols, struct interpreter_found *found)
{
	uint8_t code[ARCH_HELD_BYTES];

	found->held = &arch_php_held;
	return callees_holds(symbols, found->evaluation, found->held, code) &&
	       arch_php_globals(code, &found->globals);
}

static bool has_size(const struct dynsym *symbols, const char *name, int32_t size)
{
	uintptr_t end, start = dynsym_range(symbols, name, &end);

	return start && end - start == (uintptr_t)size;
}

static enum record_interpreter_state find(const struct dynsym *symbols,
					  struct interpreter_found *found)
{
	uintptr_t state = dynsym_find(symbols, "executor_globals");

	/* A build with thread safety has an offset instead. */
	if (!state && !dynsym_find(symbols, "executor_globals_offset"))
		return RECORD_INTERPRETER_NONE;
	*found = (struct interpreter_found){ .kind = &interpreter_php, .state = state };
	found->evaluation = dynsym_range(symbols, "execute_ex", &found->evaluation_end);
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (has_size(symbols, "executor_globals", layouts[i].executor_bytes) &&
		    has_size(symbols, "compiler_globals", layouts[i].compiler_bytes)) {
			found->layout = &layouts[i];
			found->version = (uint32_t)layouts[i].version;
		}
	return found->layout && sizeof(uintptr_t) == WORD && find_held(symbols, found)
		       ? RECORD_INTERPRETER_WALKED
		       : RECORD_INTERPRETER_UNKNOWN;
}

/* ---- frames ---- */

static const struct php_layout *layout_in(const struct script_walk *walk)
{
	return walk->found->layout;
}

/* Returns the function of a frame; 0: it has none that is written in PHP. */
static uintptr_t function_of(struct script_walk *walk, uintptr_t frame)
{
	const struct php_layout *layout = layout_in(walk);
	uintptr_t function = field_word(walk, frame, layout->frame_function);
	int32_t type;

	if (function % WORD || !peek_can(&walk->peek, function, (size_t)layout->function_bytes))
		return 0;
	type = peek_byte(&walk->peek, function + (uintptr_t)layout->function_type);
	return type == layout->type_user || type == layout->type_eval ? function : 0;
}

/* Returns the line of an instruction. While an exception is thrown, it is outside of the function:
 * 0. */
static uint32_t line_of(struct script_walk *walk, uintptr_t function, uintptr_t op)
{
	const struct php_layout *layout = layout_in(walk);
	uintptr_t first = field_word(walk, function, layout->function_ops);
	uintptr_t bytes = (uintptr_t)field_half(walk, function, layout->function_op_count) *
			  (uintptr_t)layout->op_bytes;

	if (!walk->count) {
		walk->code = first;
		walk->code_end = first + bytes;
	}
	return op - first < bytes && field_can(walk, op, layout->op_bytes)
		       ? field_half(walk, op, layout->op_line)
		       : 0;
}

/* Adds a function at an instruction. All closures of one place in a script have copies of one
 * function, and share its instructions. */
static void add(struct script_walk *walk, uintptr_t function, uintptr_t op)
{
	const struct php_layout *layout = layout_in(walk);
	struct script_code code = {
		.object = function,
		.address = field_word(walk, function, layout->function_ops),
		.name = field_word(walk, function, layout->function_name),
		.file = field_word(walk, function, layout->function_file),
		.table = field_word(walk, function, layout->function_class),
		.line = field_half(walk, function, layout->function_line),
	};

	scripts_add(walk, &code, field_half(walk, function, layout->function_line_end),
		    line_of(walk, function, op));
}

static bool activation(struct script_walk *walk)
{
	const struct php_layout *layout = layout_in(walk);
	uintptr_t frame = walk->kept[KEPT_FRAME], op = walk->kept[KEPT_OP];

	if (walk->outer && walk->outer[KEPT_FRAME] == frame)
		return false;
	for (int i = 0; i < FRAMES_MAX; i++) {
		uintptr_t function;

		if (!field_can(walk, frame, layout->frame_bytes))
			return false;
		function = function_of(walk, frame);
		if (!function)
			return false;
		/* Callers have stored where they wait. */
		add(walk, function, i ? field_word(walk, frame, layout->frame_op) : op);
		if (field_half(walk, frame, layout->frame_info) & (uint32_t)layout->info_top)
			return true;
		frame = field_word(walk, frame, layout->frame_previous);
	}
	return false;
}

/* ---- names ---- */

/* Appends a text of PHP. */
static char *copy(struct peek *peek, const struct php_layout *layout, uintptr_t text, char *to,
		  const char *end)
{
	uint64_t length = 0;

	*to = '\0';
	if (!text || !field_copy(peek, text, layout->text_length, &length, sizeof(length)))
		return to;
	return text_copy(to, end, peek, text + (uintptr_t)layout->text, length);
}

#define CLASS_BYTES 128 /* of a name, at most */

static void name(struct peek *peek, const struct php_layout *layout, uintptr_t function,
		 struct script_facts *facts)
{
	char *to = facts->name;
	const char *end = facts->name + sizeof(facts->name);
	uintptr_t class = 0, text = 0;

	/* The code of a file has no name. */
	if (!field_copy(peek, function, layout->function_name, &text, sizeof(text)) || !text) {
		text_put(to, end, "{main}");
		return;
	}
	if (field_copy(peek, function, layout->function_class, &class, sizeof(class)) && class &&
	    field_copy(peek, class, layout->class_name, &class, sizeof(class)))
		to = text_put(copy(peek, layout, class, to, to + CLASS_BYTES), end, "::");
	copy(peek, layout, text, to, end);
}

static bool describe(struct peek *peek, const struct interpreter_found *found, uintptr_t function,
		     struct script_facts *facts)
{
	const struct php_layout *layout = found->layout;
	uintptr_t file;

	if (!field_copy(peek, function, layout->function_file, &file, sizeof(file)) ||
	    !field_copy(peek, function, layout->function_line, &facts->line, sizeof(facts->line)))
		return false;
	name(peek, layout, function, facts);
	copy(peek, layout, file, facts->file, facts->file + sizeof(facts->file));
	return true;
}

const struct interpreter interpreter_php = {
	.language = RECORD_PHP,
	.find = find,
	.activation = activation,
	.describe = describe,
};
