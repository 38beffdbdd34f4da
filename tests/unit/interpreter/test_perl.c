/* SPDX-License-Identifier: MIT
 *
 * test_perl.c - contexts of Perl in memory that is made up: activations by their order, native
 * frames that run none, subs that are being called, and pointers that lead elsewhere.
 */
#include "interpreter/perl.h"

#include "interpreter/scripts.h"
#include "made_memory.h"
#include "tap.h"

enum {
	SUB = 9,
	EVAL = 11,
	REPEATED = 16,
	BLOCK = 64,
	TEXT = 32,
	MAIN_STACK = 1,
	SORT_STACK = 3,
	CODE_TYPE = 13,
	NAMED = 8,
	AUX = 256,
	LINE = 195,
	RUNOPS = 0x1000,
};

/* A version of Perl in which everything is near. */
static const struct perl_layout near = {
	.state_cop = 0,
	.state_stack = 8,
	.state_runops = 16,
	.state_compiled = 64,
	.state_main_code = 24,
	.state_main_start = 32,
	.state_main_file = 40,
	.state_bytes = 48,
	.stack_contexts = 0,
	.stack_previous = 8,
	.stack_last = 16,
	.stack_last_function = 20,
	.stack_type = 24,
	.stack_bytes = 32,
	.stack_type_main = MAIN_STACK,
	.stack_type_sort = SORT_STACK,
	.context_type = 0,
	.context_cop = 8,
	.context_return = 16,
	.context_outer = 24,
	.context_depth = 28,
	.context_code = 32,
	.context_file = 32,
	.context_bytes = 40,
	.type_mask = 15,
	.type_none = 0,
	.type_sub = SUB,
	.type_format = 10,
	.type_eval = EVAL,
	.flag_repeated = REPEATED,
	.flag_block = BLOCK,
	.flag_text = TEXT,
	.value_body = 0,
	.value_flags = 8,
	.value_type_mask = 255,
	.value_code = CODE_TYPE,
	.value_format = 14,
	.value_text = 0,
	.value_bytes = 16,
	.code_start = 0,
	.code_root = 8,
	.code_stash = 16,
	.code_name = 24,
	.code_file = 32,
	.code_flags = 40,
	.code_depth = 44,
	.code_bytes = 48,
	.code_flag_named = NAMED,
	.glob_name = 0,
	.glob_stash = 8,
	.hash_name = 0,
	.hash_name_count = 8,
	.hash_flag = AUX,
	.key_length = 0,
	.key_text = 4,
	.op_next = 0,
	.op_type = 8,
	.op_type_mask = 511,
	.op_type_line = LINE,
	.op_type_line_debugged = 196,
	.line_number = 12,
	.line_file = 16,
	.line_bytes = 24,
	.slot_place = 2,
	.slot_op = 8,
	.slab_next = 0,
	.slab_head = 8,
	.slab_words = 18,
	.slab_slots = 24,
};

/* Each kind of thing has a page. */
enum { STATES = 0, STACKS = 1, CONTEXTS = 2, CODES = 3, TEXTS = 4, OPS = 5 };

#define STATE     address(STATES, 0)
#define STACK(i)  address(STACKS, 10 * (i))
#define ARRAY(i)  address(CONTEXTS, 100 * (i))
#define CX(i, j)  address(CONTEXTS, 100 * (i) + 5 * (j))
#define SUB_VALUE address(CODES, 0)
#define SUB_BODY  address(CODES, 10)
#define FIRST     address(OPS, 4) /* behind the head of its slab and of its slot */

#define TWO(low, high) ((uintptr_t)((uint64_t)(uint32_t)(low) | (uint64_t)(uint32_t)(high) << 32))

static struct unwind_kept natives;
static uint64_t native_pcs[16];

/* Callers of the evaluation function, as of struct interpreter_found. */
enum { CATCHER = 0x100, RUNNER = 0x110, CALLER = 0x120, NONE = 0x200 };

static void put_native(int i, int frame, uintptr_t caller)
{
	natives.frames[i].frame = frame;
	natives.frames[i].value[0] = STATE;
	native_pcs[frame + 1] = caller;
	natives.count = i + 1;
}

static void put_sub(int stack, int i, int outer, uintptr_t back)
{
	PUT(CX(stack, i), SUB, FIRST, back, TWO(outer, i), SUB_VALUE);
}

/* The program calls a sub, which C calls back into: a sub that calls another one. */
static void make(void)
{
	made_memory_clear();
	PUT(STATE, FIRST, STACK(0), RUNOPS, address(CODES, 100), FIRST, address(TEXTS, 0));
	PUT(STACK(0), ARRAY(0), 0, TWO(2, 2), MAIN_STACK);
	put_sub(0, 0, -1, FIRST);
	put_sub(0, 1, 0, 0);
	put_sub(0, 2, 1, FIRST);
	PUT(SUB_VALUE, SUB_BODY, CODE_TYPE);
	PUT(SUB_BODY, FIRST, address(CODES, 50), address(CODES, 60), address(CODES, 70),
	    address(TEXTS, 0), TWO(0, 9));
	PUT(address(CODES, 60), address(CODES, 62), AUX);
	PUT(address(CODES, 62), address(TEXTS, 20), 0);
	PUT(address(CODES, 70), address(CODES, 72));
	PUT(address(CODES, 72), address(TEXTS, 30), address(CODES, 60));
	memcpy(&memory[TEXTS][0], "/app.pl", 8);
	memcpy(&memory[TEXTS][20], "\4\0\0\0Work", 8);
	memcpy(&memory[TEXTS][30], "\4\0\0\0spin", 8);
	PUT(address(OPS, 0), 0, address(OPS, 0), 16 << 16);
	PUT(FIRST, 0, TWO(LINE, 12), address(TEXTS, 0));
	put_native(0, 1, CALLER);
	put_native(1, 5, RUNNER);
}

static struct perl_layout without_names;
static struct interpreter_found found = { .kind = &interpreter_perl,
					  .evaluation = RUNOPS,
					  .layout = &without_names,
					  .places = { CATCHER, CATCHER + 8, RUNNER, RUNNER + 8,
						      CALLER, CALLER + 8 } };
static struct scripts scripts;
static struct scripts_writer writer;
static uint64_t pcs[SCRIPT_DEPTH];
static bool is_taken;

/* Returns the number of frames of the activation of a native frame; -1: none. */
static int frames_of(int native)
{
	struct script_walk walk = { .found = &found,
				    .scripts = &scripts,
				    .writer = &writer,
				    .peek = { .source = &source },
				    .kept = natives.frames[native].value,
				    .is_complete = true,
				    .native_pcs = native_pcs,
				    .natives = &natives,
				    .native = native,
				    .pcs = pcs };
	bool is = interpreter_perl.activation(&walk);

	is_taken = walk.is_taken;
	return is ? walk.count : -1;
}

static void whole(void)
{
	make();
	ok(frames_of(0) == 2 && frames_of(1) == 2, "a sub that C has called, and the program");
	PUT(CX(0, 1), EVAL | BLOCK);
	memory[CONTEXTS][7] = FIRST;
	natives.count = 1;
	native_pcs[2] = RUNNER;
	ok(frames_of(0) == 3, "an eval is a block of its sub");
	PUT(CX(0, 1), EVAL | TEXT);
	ok(frames_of(0) == 4, "that of a text is not");
	make();
	put_sub(0, 1, 0, FIRST);
	ok(frames_of(1) == 4 && frames_of(0) == 0 && is_taken,
	   "a native frame that has no sub yet is not shown");
	put_native(1, 3, RUNNER);
	native_pcs[2] = CATCHER;
	ok(frames_of(0) == 4 && frames_of(1) == 0 && is_taken,
	   "a native frame that has taken over stands for all");
}

static void sorts(void)
{
	make();
	PUT(STATE, FIRST, STACK(1));
	PUT(STACK(1), ARRAY(1), STACK(0), TWO(1, 1), SORT_STACK);
	PUT(CX(1, 0), 0, FIRST);
	put_sub(1, 1, -1, FIRST);
	put_native(0, 1, NONE);
	put_native(1, 5, CALLER);
	put_native(2, 9, RUNNER);
	ok(frames_of(0) == 2 && frames_of(1) == 2 && frames_of(2) == 2,
	   "the block of a sort, and the sub that it calls");
	native_pcs[2] = CALLER;
	ok(frames_of(0) < 0 && frames_of(1) == 2, "a native frame of another kind remains");
	put_native(0, 1, CALLER);
	put_native(1, 5, RUNNER);
	ok(frames_of(0) == 2 && frames_of(1) == 2, "a sort that calls nothing now");
}

static void torn(void)
{
	make();
	memory[CODES][15] = TWO(0, 2);
	ok(frames_of(0) == 1, "a sub that is being called");
	memory[CONTEXTS][14] = 0;
	ok(frames_of(0) == 1, "one that is being left");
	make();
	natives.frames[0].value[0] = STATE + 8;
	ok(frames_of(0) < 0, "a register that holds something else");
	make();
	PUT(CX(0, 2), SUB, FIRST, FIRST, TWO(2, 2));
	ok(frames_of(0) < 0, "a list that leads back");
	make();
	PUT(STACK(0), ARRAY(0), STACK(0), TWO(2, 2), 0);
	ok(frames_of(0) < 0, "stacks in a circle");
	make();
	PUT(STACK(0), ARRAY(0), 0, TWO(2, 3));
	ok(frames_of(0) < 0, "a context beyond the last");
	make();
	is_gone[CONTEXTS] = true;
	ok(frames_of(0) < 0, "contexts on a page that is not there");
	make();
	is_gone[CODES] = true;
	ok(frames_of(0) < 0, "code on a page that is not there");
}

static void names(void)
{
	struct interpreter_found named = found;
	struct peek peek = { .source = &source };
	static struct script_facts facts;

	make();
	named.layout = &near;
	ok(perl_describe(&peek, &named, SUB_VALUE, &facts) && facts.line == 12 &&
		   !strcmp(facts.name, "Work::spin") && !strcmp(facts.file, "/app.pl"),
	   "name, file and first line");
	ok(perl_describe(&peek, &named, STATE + PERL_MAIN, &facts) && facts.line == 1 &&
		   !strcmp(facts.name, "(main)") && !strcmp(facts.file, "/app.pl"),
	   "the program itself");
	ok(perl_describe(&peek, &named, FIRST + PERL_EVAL, &facts) && facts.line == 12 &&
		   !strcmp(facts.name, "(eval)"),
	   "a text");
	memcpy(&memory[TEXTS][30], "\10\0\0\0__ANON__", 12);
	ok(perl_describe(&peek, &named, SUB_VALUE, &facts) &&
		   !strcmp(facts.name, "Work::__ANON__[app.pl:12]"),
	   "a sub without a name");
	memory[TEXTS][30] = UINT32_MAX;
	ok(!perl_describe(&peek, &named, SUB_VALUE, &facts), "a name that is too long");
	is_gone[TEXTS] = true;
	ok(!perl_describe(&peek, &named, SUB_VALUE, &facts), "texts that are gone");
}

int main(void)
{
	if (sizeof(uintptr_t) != 8) {
		skip("frames of Perl", "they are read in 64 bits alone");
		return tap_done();
	}
	if (scripts_init(&scripts))
		bail_out("there is no memory");
	/* In walks, functions cannot be described: there is no recording for them. */
	without_names = near;
	without_names.code_name = PAGES * (int32_t)PEEK_PAGE;
	without_names.state_main_file = without_names.line_file = without_names.code_name;
	whole();
	sorts();
	torn();
	names();
	return tap_done();
}
