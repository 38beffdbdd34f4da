/* SPDX-License-Identifier: MIT
 *
 * test_php.c - frames of PHP in memory that is made up: whole ones, and registers and pointers that
 * lead elsewhere. Only whole activations get into a stack.
 */
#include "interpreter/php.h"

#include "interpreter/interpreters.h"
#include "made_memory.h"
#include "tap.h"

#define TOP 0x20000u

/* A version of PHP in which everything is near. */
static const struct php_layout near = {
	.version = 802,
	.frame_op = 0,
	.frame_function = 8,
	.frame_info = 16,
	.frame_previous = 24,
	.frame_bytes = 32,
	.info_top = TOP,
	.function_type = 0,
	.type_user = 2,
	.type_eval = 4,
	.function_name = 8,
	.function_class = 16,
	.function_op_count = 24,
	.function_ops = 32,
	.function_file = 40,
	.function_line = 48,
	.function_line_end = 52,
	.function_bytes = 56,
	.class_name = 8,
	.text_length = 0,
	.text = 8,
	.op_line = 24,
	.op_bytes = 32,
};

/* Each kind of thing has a page. */
enum { FUNCTIONS = 0, FRAMES = 1, OPS = 2, TEXTS = 3, MORE_FRAMES = 4 };

#define FUNCTION address(FUNCTIONS, 0)
#define INTERNAL address(FUNCTIONS, 20)
#define CLASS    address(FUNCTIONS, 40)
#define FIRST_OP address(OPS, 0)
#define OP       (FIRST_OP + 32)
#define INNER    address(FRAMES, 0) /* is called by */
#define MIDDLE   address(FRAMES, 8) /* in the same activation, which C code has begun for */
#define OUTER    address(FRAMES, 16)

#define LINE(first, last) ((uintptr_t)((uint64_t)(first) | (uint64_t)(last) << 32))

static void text(unsigned word, const char *letters)
{
	memory[TEXTS][word] = strlen(letters);
	memcpy(&memory[TEXTS][word + 1], letters, strlen(letters));
}

static void make(void)
{
	made_memory_clear();
	text(0, "work");
	text(10, "/srv/app.php");
	text(20, "Worker");
	PUT(FUNCTION, 2, address(TEXTS, 0), CLASS, 3, FIRST_OP, address(TEXTS, 10), LINE(10, 14));
	PUT(INTERNAL, 1);
	PUT(CLASS, 0, address(TEXTS, 20));
	PUT(FIRST_OP, 0, 0, 0, 11, 0, 0, 0, 12, 0, 0, 0, 13);
	PUT(INNER, 0, FUNCTION, 0, MIDDLE);
	PUT(MIDDLE, FIRST_OP + 64, FUNCTION, TOP, OUTER);
	PUT(OUTER, FIRST_OP, FUNCTION, TOP, 0);
}

static const struct interpreter_found named = { .kind = &interpreter_php, .layout = &near };
/* In walks, files cannot be read: there is no recording for functions to be written to. */
static struct php_layout without_files;
static const struct interpreter_found found = { .kind = &interpreter_php,
						.layout = &without_files };
static const struct arch_held held = { { 1, 2 }, { { 0 } } };
static struct interpreters interpreters;
static struct scripts_writer writer;
static uint64_t pcs[SCRIPT_DEPTH];
static uintptr_t kept[ARCH_HELD];

static struct script_walk new_walk(uintptr_t frame, uintptr_t op)
{
	kept[0] = frame;
	kept[1] = op;
	return (struct script_walk){ .found = &found,
				     .scripts = &interpreters.scripts,
				     .writer = &writer,
				     .peek = { .source = &source },
				     .kept = kept,
				     .pcs = pcs };
}

/* Returns the number of frames of the activation that a register leads to; -1: none. */
static int frames_at(uintptr_t frame)
{
	struct script_walk walk = new_walk(frame, OP);

	return interpreter_php.activation(&walk) ? walk.count : -1;
}

static void whole(void)
{
	struct script_walk walk = new_walk(INNER, OP);

	make();
	ok(interpreter_php.activation(&walk) && walk.count == 2 && walk.code == FIRST_OP &&
		   walk.code_end == FIRST_OP + 96,
	   "an activation of two frames, and its code");
	ok(frames_at(MIDDLE) == 1 && frames_at(OUTER) == 1, "activations of one");
}

static void names(void)
{
	struct peek peek = { .source = &source };
	static struct script_facts facts;

	make();
	ok(interpreter_php.describe(&peek, &named, FUNCTION, &facts) && facts.line == 10 &&
		   !strcmp(facts.name, "Worker::work") && !strcmp(facts.file, "/srv/app.php"),
	   "a method has its class, file and first line");
	memory[FUNCTIONS][2] = 0;
	ok(interpreter_php.describe(&peek, &named, FUNCTION, &facts) && !strcmp(facts.name, "work"),
	   "a function has none");
	memory[FUNCTIONS][1] = 0;
	ok(interpreter_php.describe(&peek, &named, FUNCTION, &facts) &&
		   !strcmp(facts.name, "{main}"),
	   "the code of a file has no name of its own");
	memory[TEXTS][10] = 1100;
	memset(&memory[TEXTS][11], 'x', 1100);
	memcpy((char *)&memory[TEXTS][11] + 1092, "/end.php", 8);
	ok(interpreter_php.describe(&peek, &named, FUNCTION, &facts) &&
		   strlen(facts.file) == sizeof(facts.file) - 1 &&
		   !strcmp(facts.file + sizeof(facts.file) - 9, "/end.php"),
	   "of a long path, the end");
	memory[TEXTS][10] = UINTPTR_MAX / 2;
	ok(interpreter_php.describe(&peek, &named, FUNCTION, &facts) && !facts.file[0],
	   "a text that cannot be so long is empty");
	is_gone[FUNCTIONS] = true;
	ok(!interpreter_php.describe(&peek, &named, FUNCTION, &facts), "a function that is gone");
}

static void torn(void)
{
	make();
	ok(frames_at(0) < 0 && frames_at(INNER + 4) < 0 && frames_at(12345) < 0,
	   "a register that holds something else");
	PUT(INNER, 0, INTERNAL, 0, MIDDLE);
	ok(frames_at(INNER) < 0, "a frame of a function in C");
	PUT(INNER, 0, 0, 0, MIDDLE);
	ok(frames_at(INNER) < 0, "a frame without a function");
	make();
	PUT(MIDDLE, 0, 0xdead0, TOP, OUTER);
	ok(frames_at(INNER) < 0, "a function that leads nowhere");
	make();
	PUT(INNER, 0, FUNCTION, 0, 0);
	ok(frames_at(INNER) < 0, "frames without a top");
	PUT(INNER, 0, FUNCTION, 0, INNER);
	ok(frames_at(INNER) < 0, "a frame that has called itself");
	PUT(INNER, 0, FUNCTION, 0, address(MORE_FRAMES, 0));
	is_gone[MORE_FRAMES] = true;
	ok(frames_at(INNER) < 0, "a frame on a page that is not there");
}

/* ---- merging ---- */

static bool is_confirmed;

static bool ran(void *context, struct window part, uintptr_t start, uintptr_t end)
{
	(void)context;
	return is_confirmed && part.start < part.end && start < end;
}

/* Merges a stack of five native frames, of which the second and the fourth hold activations.
 * Returns a digit for each frame then: 1 a native one, 2 of a script. */
static int merged(void)
{
	static struct interpreters_space space = { .sps = { 10, 20, 30, 40, 50 } };
	static const uint64_t native[] = { 1, 0x5001, 2, 0x5002, 3 };
	struct interpreters_elsewhere elsewhere = { .source = source, .ran = ran };
	struct stack stack = { .pcs = native, .depth = 5, .certain = 5 };
	int digits = 0;

	space.kept.count = 2;
	space.kept.frames[0].frame = 1;
	space.kept.frames[0].value[0] = INNER;
	space.kept.frames[1].frame = 3;
	space.kept.frames[1].value[0] = OUTER;
	interpreters_merge(&interpreters, &space, &stack, 1, NULL, &elsewhere);
	for (int i = 0; i < stack.depth; i++) {
		uint64_t pc = stack.pcs[i]; /* of a script, it needs 64 bits */

		digits = 10 * digits + (pc < RECORD_SCRIPTS_START ? 1 : 2);
	}
	return digits;
}

static void merging(void)
{
	struct unwind_kept range;

	ok(!interpreters_range(&interpreters, &range), "without an interpreter, nothing is kept");
	interpreters.found = found;
	interpreters.found.evaluation = 0x5000;
	interpreters.found.evaluation_end = 0x5100;
	interpreters.found.held = &held;
	interpreters.found.globals.stored = 16;
	interpreters.is_there = true;
	ok(interpreters_range(&interpreters, &range) && range.start == 0x5000 &&
		   range.end == 0x5100 && range.registers[0] == 1 && range.registers[1] == 2 &&
		   range.globals.stored == 16,
	   "the registers of the evaluation function are wanted");
	is_confirmed = true;
	make();
	ok(merged() == 11221121, "frames are put behind the native frames that hold them");
	PUT(INNER, 0, 0xdead0);
	ok(merged() == 111121, "a native frame without its own remains");
	make();
	is_confirmed = false;
	ok(merged() == 11111, "functions that the sample does not confirm are left out");
}

int main(void)
{
	if (sizeof(uintptr_t) != 8) {
		skip("frames of PHP", "they are read in 64 bits alone");
		return tap_done();
	}
	if (scripts_init(&interpreters.scripts))
		bail_out("there is no memory");
	without_files = near;
	without_files.function_file = PAGES * (int32_t)PEEK_PAGE;
	whole();
	names();
	torn();
	merging();
	return tap_done();
}
