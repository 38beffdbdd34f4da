/* SPDX-License-Identifier: MIT
 *
 * test_lua.c - frames of Lua in memory that is made up: whole ones, coroutines that were resumed,
 * and registers and pointers that lead elsewhere. Only whole activations get into a stack.
 */
#include "interpreter/lua.h"

#include "interpreter/scripts.h"
#include "made_memory.h"
#include "tap.h"

enum { NATIVE = 2, FRESH = 4, CLOSURE = 70, STATE_TYPE = 8, CODE_TYPE = 10, SHORT = 4 };

/* A release of Lua in which everything is near. */
static const struct lua_layout near = {
	.object_type = 0,
	.state_frame = 8,
	.state_stack = 16,
	.state_stack_end = 24,
	.state_bytes = 32,
	.state_type = STATE_TYPE,
	.frame_function = 0,
	.frame_previous = 8,
	.frame_op = 16,
	.frame_status = 24,
	.frame_bytes = 32,
	.status_native = NATIVE,
	.status_fresh = FRESH,
	.value_type = 8,
	.value_bytes = 16,
	.type_closure = CLOSURE,
	.closure_code = 8,
	.code_type = CODE_TYPE,
	.code_count = 8,
	.code_line_count = 12,
	.code_ops = 16,
	.code_lines = 24,
	.code_places = 32,
	.code_place_count = 40,
	.code_line = 48,
	.code_line_end = 52,
	.code_source = 56,
	.code_bytes = 64,
	.op_bytes = 4,
	.text_short = SHORT,
	.text_short_length = 1,
	.text_length = 8,
	.text = 16,
};

/* Each kind of thing has a page. */
enum { STATES = 0, FRAMES = 1, VALUES = 2, CODES = 3, TEXTS = 4 };

#define STATE   address(STATES, 0)
#define OTHER   address(STATES, 10)
#define INNER   address(FRAMES, 0)  /* is called by */
#define MIDDLE  address(FRAMES, 8)  /* in the same activation, which a function in C has begun: */
#define PCALL   address(FRAMES, 16) /* that is called by */
#define OUTER   address(FRAMES, 24)
#define BASE_CI address(FRAMES, 32)
#define CODE    address(CODES, 0)
#define OPS     address(CODES, 20)
#define LINES   address(CODES, 40)
#define VALUE   address(VALUES, 0)

#define TWO(low, high) ((uintptr_t)((uint64_t)(low) | (uint64_t)(high) << 32))

static void make(void)
{
	made_memory_clear();
	PUT(STATE, STATE_TYPE, INNER, address(VALUES, 0), address(VALUES, 100));
	PUT(OTHER, STATE_TYPE, INNER, address(VALUES, 0), address(VALUES, 100));
	PUT(VALUE, address(VALUES, 200), CLOSURE);
	PUT(address(VALUES, 200), 0, CODE);
	PUT(CODE, CODE_TYPE, TWO(8, 8), OPS, LINES, 0, 0, TWO(10, 14), address(TEXTS, 0));
	PUT(INNER, VALUE, MIDDLE, 0, 0);
	PUT(MIDDLE, VALUE, PCALL, OPS, FRESH);
	PUT(PCALL, VALUE, OUTER, 0, NATIVE);
	PUT(OUTER, VALUE, BASE_CI, OPS, FRESH);
	PUT(BASE_CI, 0, 0, 0, NATIVE);
	PUT(address(TEXTS, 0), SHORT | 9 << 8, 0);
	memcpy(&memory[TEXTS][2], "@/app.lua", 9);
}

static const struct interpreter_found named = { .kind = &interpreter_lua, .layout = &near };
/* In walks, functions cannot be described: there is no recording for them to be written to. */
static struct lua_layout without_names;
static const struct interpreter_found found = { .kind = &interpreter_lua,
						.layout = &without_names };
static struct scripts scripts;
static struct scripts_writer writer;
static uint64_t pcs[SCRIPT_DEPTH];
static uintptr_t kept[ARCH_HELD], outer[ARCH_HELD];

static struct script_walk new_walk(void)
{
	return (struct script_walk){ .found = &found,
				     .scripts = &scripts,
				     .writer = &writer,
				     .peek = { .source = &source },
				     .kept = kept,
				     .pcs = pcs };
}

/* Returns the number of frames of the activation that registers lead to; -1: none. */
static int frames_at(struct script_walk *walk, uintptr_t state, uintptr_t frame)
{
	kept[2] = state;
	kept[0] = frame;
	kept[1] = OPS + 8;
	walk->count = 0;
	return interpreter_lua.activation(walk) ? walk->count : -1;
}

static int fresh_frames_at(uintptr_t state, uintptr_t frame)
{
	struct script_walk walk = new_walk();

	return frames_at(&walk, state, frame);
}

static void whole(void)
{
	struct script_walk walk = new_walk();

	make();
	outer[2] = STATE;
	outer[0] = OUTER;
	walk.outer = outer;
	ok(frames_at(&walk, STATE, INNER) == 2 && walk.code == OPS && walk.code_end == OPS + 32,
	   "an activation of two frames, and its code");
	walk.outer = NULL;
	walk.is_complete = true;
	ok(frames_at(&walk, STATE, OUTER) == 1, "that of one, outside of a function in C");
	walk = new_walk();
	walk.is_complete = true;
	ok(frames_at(&walk, STATE, INNER) == 3,
	   "a coroutine that was resumed has all its frames in its outermost native frame");
	ok(fresh_frames_at(STATE, INNER) == 2, "unless that may not be its outermost one");
	walk = new_walk();
	outer[2] = OTHER;
	walk.outer = outer;
	ok(frames_at(&walk, STATE, INNER) == 3, "or if the next one is of another state");
}

static void torn(void)
{
	struct script_walk walk = new_walk();

	make();
	ok(fresh_frames_at(0, INNER) < 0 && fresh_frames_at(STATE, 12345) < 0 &&
		   fresh_frames_at(INNER, INNER) < 0,
	   "registers that hold something else");
	PUT(STATE, STATE_TYPE, MIDDLE);
	ok(fresh_frames_at(STATE, INNER) < 0, "a frame that has been left");
	make();
	outer[2] = STATE;
	outer[0] = INNER;
	walk.outer = outer;
	ok(frames_at(&walk, STATE, INNER) < 0, "a frame that the next native frame holds as well");
	PUT(INNER, VALUE, MIDDLE, 0, NATIVE);
	ok(fresh_frames_at(STATE, INNER) < 0, "a frame of a function in C");
	make();
	PUT(INNER, address(VALUES, 100), MIDDLE);
	ok(fresh_frames_at(STATE, INNER) < 0, "a function that is not on the stack of its state");
	make();
	PUT(VALUE, address(VALUES, 200), 3);
	ok(fresh_frames_at(STATE, INNER) < 0, "a number instead of a function");
	make();
	PUT(CODE, CODE_TYPE + 1);
	ok(fresh_frames_at(STATE, INNER) < 0, "code that is something else");
	make();
	PUT(INNER, VALUE, INNER);
	ok(fresh_frames_at(STATE, INNER) < 0, "a frame that has called itself");
	make();
	is_gone[VALUES] = true;
	ok(fresh_frames_at(STATE, INNER) < 0, "a stack on a page that is not there");
}

static void names(void)
{
	struct peek peek = { .source = &source };
	static struct script_facts facts;

	make();
	ok(interpreter_lua.describe(&peek, &named, CODE, &facts) && facts.line == 10 &&
		   !strcmp(facts.name, "function <app.lua:10>") && !strcmp(facts.file, "/app.lua"),
	   "a function is called by its file and line");
	memory[CODES][6] = 0;
	ok(interpreter_lua.describe(&peek, &named, CODE, &facts) && facts.line == 1 &&
		   !strcmp(facts.name, "main chunk"),
	   "the code of a file");
	memory[TEXTS][2] = 'x';
	ok(interpreter_lua.describe(&peek, &named, CODE, &facts) && !strcmp(facts.file, "[string]"),
	   "code without a file");
	is_gone[CODES] = true;
	ok(!interpreter_lua.describe(&peek, &named, CODE, &facts), "code that is gone");
}

/* Returns the address of the innermost function at an instruction: its lines are beside each other.
 */
static uint64_t address_at(unsigned number)
{
	static uint64_t items[64];
	static struct scripts_writer in_memory = {
		.room = { .next = (char *)items, .end = (char *)items + sizeof(items) },
	};
	struct script_walk walk = new_walk();

	walk.found = &named;
	walk.writer = &in_memory;
	kept[2] = STATE;
	kept[0] = INNER;
	kept[1] = OPS + 4 * (number + 1);
	return interpreter_lua.activation(&walk) ? pcs[0] : 0;
}

static void lines(void)
{
	static const int8_t steps[] = { 0, 1, 2, -2, 3 };
	uint64_t start;

	make();
	memcpy(&memory[CODES][40], steps, sizeof(steps));
	start = address_at(0);
	ok(start >= RECORD_SCRIPTS_START && start != SCRIPTS_NAMELESS &&
		   address_at(1) == start + 1 && address_at(2) == start + 3,
	   "lines are stored as steps");
	ok(address_at(3) == start + 1 && address_at(4) == start + 4,
	   "which lead back at the end of a loop");
}

int main(void)
{
	if (sizeof(uintptr_t) != 8) {
		skip("frames of Lua", "they are read in 64 bits alone");
		return tap_done();
	}
	if (scripts_init(&scripts))
		bail_out("there is no memory");
	without_names = near;
	without_names.code_source = PAGES * (int32_t)PEEK_PAGE;
	whole();
	torn();
	names();
	lines();
	return tap_done();
}
