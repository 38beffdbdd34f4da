/* SPDX-License-Identifier: MIT
 *
 * test_cpython.c - frames of CPython in memory that is made up: whole ones, and pointers that are
 * torn, lead in circles or to pages that are not there. A walk ends, and shows no wrong frame.
 */
#include "interpreter/cpython.h"

#include "interpreter/cpython_frames.h"
#include "interpreter/interpreters.h"
#include "made_memory.h"
#include "tap.h"

#define OWNER        3 /* of entry frames */
#define WORDS(count) ((int32_t)((count)*WORD))

/* A version of CPython with cframes, in which everything is near. */
static const struct cpython_layout with_cframes = {
	.interpreter_threads = WORDS(1),
	.thread_frame = WORDS(1),
	.cframe_frame = 0,
	.cframe_previous = WORDS(1),
	.frame_code = 0,
	.frame_previous = WORDS(1),
	.frame_instruction = WORDS(2),
	.frame_owner = WORDS(3),
	.frame_stack_owner = OWNER,
	.frame_bytes = WORDS(4),
	.code_units = WORDS(2),
	.code_line = WORDS(3),
	.code_file = WORDS(4),
	.code_name = WORDS(5),
	.code_table = WORDS(6),
	.code_bytes = WORDS(8),
};

/* Each kind of thing has a page. */
enum { RUNTIME = 0, CODE = 1, FRAMES = 2, MORE_FRAMES = 3, STACK = 4 };

#define TYPE        address(RUNTIME, 100)
#define THREAD      address(RUNTIME, 40)
#define CODE_AT     address(CODE, 0)
#define INSTRUCTION (CODE_AT + 8 * WORD)
#define UNITS       32

#define INNER       address(FRAMES, 0) /* is called by */
#define MIDDLE      address(FRAMES, 8) /* in the same activation, which is called by */
#define OUTER       address(FRAMES, 16)
#define INNER_ENTRY address(STACK, 20)
#define OUTER_ENTRY address(STACK, 120)

#define INNER_CFRAME address(STACK, 10)
#define OUTER_CFRAME address(STACK, 110)
#define ROOT_CFRAME  address(RUNTIME, 60)

/* Makes two activations: one of two frames, called by one of one. */
static void make(void)
{
	made_memory_clear();
	PUT(address(RUNTIME, 0), address(RUNTIME, 20)); /* the interpreter */
	PUT(address(RUNTIME, 20), 0, THREAD);           /* its thread state */
	PUT(THREAD, 0, INNER_CFRAME);
	PUT(ROOT_CFRAME, 0, 0);
	PUT(INNER_CFRAME, INNER, OUTER_CFRAME);
	PUT(OUTER_CFRAME, OUTER, ROOT_CFRAME);
	PUT(INNER, CODE_AT, MIDDLE, INSTRUCTION + 4, 0);
	PUT(MIDDLE, CODE_AT, INNER_ENTRY, INSTRUCTION + 8, 0);
	PUT(INNER_ENTRY, 0, OUTER, 0, OWNER);
	PUT(OUTER, CODE_AT, OUTER_ENTRY, INSTRUCTION, 0);
	PUT(OUTER_ENTRY, 0, 0, 0, OWNER);
	/* Its name cannot be read, so it is a function without one. */
	PUT(CODE_AT, 0, TYPE, UNITS, 7, 1, 2, 1);
}

static const struct interpreter_found found = { .kind = &interpreter_cpython,
						.state = BASE,
						.code_type = BASE + 100 * WORD,
						.layout = &with_cframes };

/* One whose frames are objects. */
static const struct cpython_layout with_objects = {
	.interpreter_threads = WORDS(1),
	.thread_id = WORDS(2),
	.thread_frame = WORDS(1),
	.cframe_frame = -1,
	.cframe_previous = -1,
	.frame_code = 0,
	.frame_previous = WORDS(1),
	.frame_instruction = WORDS(2),
	.frame_unit = 2,
	.frame_bytes = WORDS(4),
	.code_instructions = WORDS(2),
	.code_line = WORDS(3),
	.code_file = WORDS(4),
	.code_name = WORDS(5),
	.code_table = WORDS(6),
	.code_bytes = WORDS(8),
	.bytes_length = WORDS(2),
	.bytes_data = WORDS(4),
};

static const struct interpreter_found found_objects = { .kind = &interpreter_cpython,
							.state = BASE,
							.code_type = BASE + 100 * WORD,
							.evaluation = 0x5000,
							.evaluation_end = 0x5100,
							.layout = &with_objects };
static struct interpreters interpreters;
static struct scripts_writer writer;
static uint64_t pcs[SCRIPT_DEPTH];

static struct script_walk new_walk(void)
{
	return (struct script_walk){ .found = &found,
				     .scripts = &interpreters.scripts,
				     .writer = &writer,
				     .peek = { .source = &source },
				     .stack = address(STACK, 0),
				     .stack_end = address(STACK, 500),
				     .pcs = pcs };
}

/* Returns the numbers of frames of the first activations: 21 for two and one; 9: there is none. */
static int counts(void)
{
	struct script_walk walk = new_walk();
	int first = interpreter_cpython.begin(&walk) ? walk.count : 9;

	return 10 * first + (first != 9 && interpreter_cpython.next(&walk) ? walk.count : 9);
}

static void whole(void)
{
	struct script_walk walk = new_walk();

	make();
	ok(counts() == 21, "two activations, of two frames and of one");
	ok(interpreter_cpython.begin(&walk) && walk.anchor == INNER_CFRAME &&
		   walk.code == INSTRUCTION && walk.code_end == INSTRUCTION + 2 * UNITS,
	   "the place of the inner one, and its code");
	ok(interpreter_cpython.next(&walk) && walk.anchor == OUTER_CFRAME, "that of the outer one");
	ok(!interpreter_cpython.next(&walk), "the thread's own cframe has none");
	ok(interpreter_cpython.resume(&walk, OUTER_CFRAME) && walk.count == 1,
	   "a walk goes on at any of them");
	walk = new_walk();
	walk.stack = address(STACK, 50);
	ok(interpreter_cpython.begin(&walk), "a thread that has gone deeper since is found");
	walk.stack_end = address(STACK, 100);
	ok(!interpreter_cpython.begin(&walk), "one of another stack is not");
}

static void torn(void)
{
	make();
	PUT(INNER_CFRAME, 0);
	ok(counts() == 1, "a cframe without a frame: the others remain");
	make();
	PUT(INNER_CFRAME, 12345);
	ok(counts() == 1, "one that leads nowhere");
	make();
	PUT(INNER_CFRAME, INNER, 0xdeadbeef);
	ok(counts() == 9, "a link that leads nowhere ends the walk");
	make();
	PUT(INNER_ENTRY, 0, MIDDLE, 0, OWNER);
	ok(counts() == 1, "an entry frame that does not lead to the caller's frame");
	make();
	PUT(INNER, CODE_AT + 8);
	ok(counts() == 1, "code that is not a code object");
	make();
	PUT(INNER, CODE_AT, MIDDLE, INSTRUCTION + 2 * UNITS + 2);
	ok(counts() == 1, "an instruction behind the code");
	make();
	PUT(INNER, CODE_AT, MIDDLE, INSTRUCTION - 2);
	ok(counts() == 21, "a frame before its first instruction is one");
}

static void circles(void)
{
	make();
	PUT(MIDDLE, CODE_AT, INNER);
	ok(counts() == 1, "frames that call each other");
	make();
	PUT(OUTER_CFRAME, OUTER, INNER_CFRAME);
	ok(counts() / 10 == 2, "cframes in a circle: a walk begins");
	make();
	PUT(CODE_AT, 0, TYPE, UNITS, 7, 2, 2, 1);
	ok(counts() == 0, "code with the name of its file is a step between functions");
	make();
	PUT(THREAD, THREAD, ROOT_CFRAME);
	ok(counts() == 99, "thread states in a circle: the search ends");
	make();
	PUT(address(RUNTIME, 20), address(RUNTIME, 20), 0);
	ok(counts() == 99, "interpreters in a circle");
}

static void unmapped(void)
{
	make();
	PUT(INNER, CODE_AT, address(MORE_FRAMES, 0));
	is_gone[MORE_FRAMES] = true;
	ok(counts() == 1, "a frame on a page that is not there");
	make();
	is_gone[CODE] = true;
	ok(counts() == 0, "code that is not there");
	make();
	is_gone[STACK] = true;
	ok(counts() == 99, "a stack that is not there");
	make();
	is_gone[RUNTIME] = true;
	ok(counts() == 99, "an interpreter that is not there");
}

/* ---- the innermost frame alone ---- */

/* Returns the number of frames that are added from there on; -1: they cannot be read. */
static int innermost(const struct cpython_layout *layout, uintptr_t at)
{
	struct interpreter_found other = found;
	struct script_walk walk = new_walk();

	other.layout = layout;
	walk.found = &other;
	walk.at = at;
	return cpython_innermost(&walk) ? walk.count : -1;
}

static void alone(void)
{
	struct cpython_layout with_entries = with_cframes;

	with_entries.cframe_frame = with_entries.cframe_previous = -1;
	make();
	ok(innermost(&with_cframes, INNER_CFRAME) == 1, "one frame of those of an activation");
	ok(innermost(&with_cframes, ROOT_CFRAME) == 0, "a thread that runs no function has none");
	ok(innermost(&with_cframes, 0) == 0, "nor has one without a cframe");
	ok(innermost(&with_entries, INNER_ENTRY) == 1, "behind an entry frame, the next");
	ok(innermost(&with_entries, OUTER_ENTRY) == 0, "behind the last one, none");
	PUT(INNER_ENTRY, 0, INNER_ENTRY, 0, OWNER);
	ok(innermost(&with_entries, INNER_ENTRY) == -1, "frames in a circle end");
	make();
	PUT(INNER, CODE_AT + 8);
	ok(innermost(&with_cframes, INNER_CFRAME) == -1, "code that is not a code object");
	make();
	PUT(INNER_CFRAME, 0xdeadbeef);
	ok(innermost(&with_cframes, INNER_CFRAME) == -1, "a frame that is not there");
	ok(innermost(&with_cframes, 0xdeadbeef) == -1, "a cframe that is not there");
}

/* ---- merging ---- */

static bool is_confirmed;

static bool ran(void *context, struct window part, uintptr_t start, uintptr_t end)
{
	(void)context;
	return is_confirmed && part.start < part.end && start < end;
}

/* Merges a stack of four native frames. Returns how many there are then. */
static int merged(const struct interpreters_elsewhere *elsewhere)
{
	static struct interpreters_space space;
	static const uint64_t native[] = { 1, 0x5000, 0x5001, 2, 3 };
	struct stack stack = { .pcs = native, .depth = 5, .certain = 5 };
	static const unsigned places[] = { 0, 2, 100, 200, 300 };

	for (unsigned i = 0; i < 5; i++)
		space.sps[i] = address(STACK, places[i]);
	interpreters_merge(&interpreters, &space, &stack, 1, NULL, elsewhere);
	return stack.pcs[0] == 1 && stack.certain == stack.depth ? stack.depth : -1;
}

static void merging(void)
{
	struct interpreters_elsewhere elsewhere = { .source = source, .ran = ran };

	interpreters.found = found;
	interpreters.found.evaluation = 0x5000;
	interpreters.found.evaluation_end = 0x5100;
	is_confirmed = true;
	make();
	ok(merged(&elsewhere) == 8, "three frames are put into a stack");
	ok(interpreters.below == address(STACK, 100) - INNER_CFRAME ||
		   interpreters.below == address(STACK, 200) - OUTER_CFRAME,
	   "the place of the anchor is learnt");
	PUT(INNER_CFRAME, 0, 0xdeadbeef);
	PUT(OUTER_CFRAME, OUTER, ROOT_CFRAME);
	PUT(THREAD, 0, INNER_CFRAME);
	ok(merged(&elsewhere) == 6, "behind a cframe that is linked too early, the next is found");
	PUT(INNER_CFRAME, INNER, INNER_CFRAME);
	ok(merged(&elsewhere) <= 8, "a cframe that leads to itself ends a stack");
	make();
	is_confirmed = false;
	ok(merged(&elsewhere) == 5, "functions that the sample does not confirm are left out");
}

/* A version without cframes: the entry frames are on the stack. */
static void merging_entries(void)
{
	struct interpreters_elsewhere elsewhere = { .source = source, .ran = ran };
	struct cpython_layout with_entries = with_cframes;

	with_entries.cframe_frame = with_entries.cframe_previous = -1;
	interpreters.found.layout = &with_entries;
	interpreters.below = 0;
	is_confirmed = true;
	make();
	PUT(THREAD, 0, INNER);
	ok(merged(&elsewhere) == 8 && interpreters.below == 80 * WORD,
	   "entry frames: three frames are put into a stack");
	PUT(THREAD, 0, OUTER);
	ok(merged(&elsewhere) == 6, "an entry frame that has ended leaves the next its frames");
	PUT(THREAD, 0, INNER);
	PUT(INNER_ENTRY, 0, 0xdeadbeef, 0, OWNER);
	ok(merged(&elsewhere) == 7, "one that is linked too early has its own");
}

/* ---- frames that are objects ---- */

#define CODE_BYTES  address(CODE, 200) /* has the instructions */
#define KEPT        20                 /* words below the caller's stack pointer */
#define COLD        0x9000             /* a part of the evaluation function that is elsewhere */
#define SEVERAL_SPS 6
#define NEWEST      address(FRAMES, 24) /* called by INNER */

static uintptr_t sps[SEVERAL_SPS];

/* Makes three frames, each of which has a native frame that keeps a pointer to it. */
static void make_objects(void)
{
	const uintptr_t objects[] = { INNER, MIDDLE + 4 * WORD, OUTER };

	make();
	PUT(THREAD, 0, INNER, 0);
	PUT(INNER, CODE_AT, MIDDLE, 3);
	PUT(MIDDLE, CODE_AT, OUTER, UNITS - 1);
	PUT(OUTER, CODE_AT, 0, UINT32_MAX); /* has not begun */
	PUT(CODE_AT, 0, TYPE, CODE_BYTES, 7, 1, 2, 1);
	PUT(CODE_BYTES, 0, 0, (uintptr_t)2 * UNITS);
	for (unsigned i = 0; i < SEVERAL_SPS; i++)
		sps[i] = address(STACK, 60 * i);
	for (unsigned i = 0; i < 3; i++)
		PUT(sps[i + 2] - KEPT * WORD, objects[i]);
}

/* Merges a stack of six native frames, three of them of the evaluation function. Returns how many
 * there are then, and a digit for the frames behind each of the three. */
static int merged_objects(const uint64_t *native, uintptr_t in_register)
{
	struct interpreters_elsewhere elsewhere = { .source = source, .ran = ran };
	struct stack stack = { .pcs = native, .depth = SEVERAL_SPS, .certain = SEVERAL_SPS };
	struct registers registers = { .value = { 1, 16, in_register } };
	static struct interpreters_space space;
	int digits = 0;

	memcpy(space.sps, sps, sizeof(sps));
	interpreters_merge(&interpreters, &space, &stack, 1, in_register ? &registers : NULL,
			   &elsewhere);
	for (int i = 0; i + 1 < stack.depth; i++) {
		if (stack.pcs[i] >= 0x5000 && stack.pcs[i] < 0x10000)
			digits = 10 * digits + (stack.pcs[i + 1] >= RECORD_SCRIPTS_START);
	}
	return 1000 * stack.depth + digits;
}

static void objects(void)
{
	static const uint64_t native[] = { 1, 0x5001, 0x5002, 0x5003, 2, 3 };
	static const uint64_t cold[] = { 1, 0x5001, COLD, 0x5003, 2, 3 };

	interpreters.found = found_objects;
	interpreters.below = 0;
	is_confirmed = true;
	make_objects();
	ok(merged_objects(native, 0) == 6000 && interpreters.below == KEPT * WORD,
	   "objects: where native frames keep a pointer is learnt from the first stack");
	ok(merged_objects(native, 0) == 9111, "each native frame has its frame");
	ok(merged_objects(cold, 0) == 9111, "also a part of the function that is elsewhere");
	PUT(sps[2] - KEPT * WORD, 0);
	ok(merged_objects(native, 0) == 8011, "one that does not keep it yet has none");
	make_objects();
	PUT(THREAD, 0, MIDDLE, 0);
	ok(merged_objects(native, 0) == 8011, "nor has one whose frame is popped already");
	make_objects();
	PUT(sps[3] - KEPT * WORD, INNER);
	ok(merged_objects(native, 0) == 8101, "nor has one in the middle that keeps another's");
	ok(interpreters.below == KEPT * WORD, "the place remains as it was learnt");
	for (unsigned i = 0; i < 3; i++)
		PUT(sps[i + 2] - (KEPT + 3) * WORD, i ? i == 1 ? MIDDLE : OUTER : INNER);
	ok(merged_objects(native, 0) && merged_objects(native, 0) == 9111,
	   "until another one fits all of them");
	PUT(INNER, CODE_AT, MIDDLE, UNITS + 1);
	ok(merged_objects(native, 0) == 8011, "an instruction behind the code");
	PUT(INNER, CODE_AT, INNER, 3);
	ok(merged_objects(native, 0) % 1000 == 100, "a frame that has called itself");
	make_objects();
	is_gone[FRAMES] = true;
	ok(merged_objects(native, 0) == 6000, "frames that are not there");
}

/* The innermost native frame keeps no pointer: its frame is being pushed, or popped. */
static void in_registers(void)
{
	static const uint64_t native[] = { 0x5000, 0x5001, 0x5002, 0x5003, 2, 3 };

	make_objects();
	interpreters.below = KEPT * WORD;
	PUT(NEWEST, CODE_AT, INNER, 1);
	ok(merged_objects(native, 0) == 9111,
	   "a frame before it is linked: the others have theirs");
	ok(merged_objects(native, NEWEST) == 11111, "a register has it");
	ok(merged_objects(native, MIDDLE) == 9111, "not one that another frame has called");
	PUT(THREAD, 0, NEWEST, 0);
	ok(merged_objects(native, 0) == 9111, "when it is linked");
	ok(merged_objects(native, NEWEST) == 11111, "a register has it as well");
}

int main(void)
{
	if (scripts_init(&interpreters.scripts))
		bail_out("there is no memory");
	whole();
	torn();
	circles();
	unmapped();
	alone();
	merging();
	merging_entries();
	objects();
	in_registers();
	return tap_done();
}
