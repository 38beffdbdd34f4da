/* SPDX-License-Identifier: MIT
 *
 * test_ruby.c - frames of Ruby in memory that is made up: whole ones, and registers and pointers
 * that lead elsewhere. Only whole activations get into a stack.
 */
#include "interpreter/ruby.h"

#include "interpreter/scripts.h"
#include "made_memory.h"
#include "tap.h"

enum { FINISH = 32, NATIVE = 128, CODE_TYPE = 26, TEXT_TYPE = 5, LIST_TYPE = 7, INSIDE = 4096 };

/* A version of Ruby in which everything is near. */
static const struct ruby_layout near = {
	.context_stack = 0,
	.context_stack_words = 8,
	.context_frame = 16,
	.context_bytes = 24,
	.frame_pc = 0,
	.frame_code = 8,
	.frame_ep = 16,
	.frame_bytes = 24,
	.flags = 0,
	.flag_finish = FINISH,
	.flag_native = NATIVE,
	.code_mask = 31,
	.code_type = CODE_TYPE,
	.code_body = 8,
	.body_words = 0,
	.body_line_end = 4,
	.body_start = 8,
	.body_path = 16,
	.body_label = 24,
	.body_line = 32,
	.body_places = 40,
	.body_place_count = 48,
	.body_index = 56,
	.body_bytes = 64,
	.place_bytes = 12,
	.type_mask = 31,
	.type_text = TEXT_TYPE,
	.type_list = LIST_TYPE,
	.text_outside = 8192,
	.text_inside_shift = 14,
	.text_inside_mask = 31,
	.text_length = 8,
	.text_data = 16,
	.text_inside = 8,
	.list_inside_flag = INSIDE,
	.list_data = 16,
	.list_inside = 8,
};

/* Each kind of thing has a page. */
enum { CONTEXTS = 0, STACK = 1, CODES = 2, TEXTS = 3, FLAGS = 4 };

#define CONTEXT address(CONTEXTS, 0)
#define INNER   address(STACK, 100) /* is called by */
#define MIDDLE  address(STACK, 103) /* in the same activation; then comes a method in C, */
#define EACH    address(STACK, 106) /* that is called by */
#define OUTER   address(STACK, 109)
#define CODE    address(CODES, 0)
#define BODY    address(CODES, 10)
#define START   address(CODES, 30)

#define TWO(low, high) ((uintptr_t)((uint64_t)(low) | (uint64_t)(high) << 32))

static void make(void)
{
	made_memory_clear();
	PUT(CONTEXT, address(STACK, 0), 112, INNER);
	PUT(address(FLAGS, 0), 0, FINISH, NATIVE, FINISH);
	PUT(INNER, START, CODE, address(FLAGS, 0));
	PUT(MIDDLE, START, CODE, address(FLAGS, 1));
	PUT(EACH, 0, 0, address(FLAGS, 2));
	PUT(OUTER, START, CODE, address(FLAGS, 3));
	PUT(CODE, CODE_TYPE, BODY);
	PUT(BODY, TWO(8, 14), START, address(TEXTS, 0), address(TEXTS, 20), 2 * 10 + 1);
	/* A list of a text inside, and a text outside. */
	PUT(address(TEXTS, 0), LIST_TYPE | INSIDE, address(TEXTS, 10));
	PUT(address(TEXTS, 10), TEXT_TYPE | 7 << 14);
	memcpy(&memory[TEXTS][11], "/app.rb", 7);
	PUT(address(TEXTS, 20), TEXT_TYPE | 8192, 6, address(TEXTS, 30));
	memcpy(&memory[TEXTS][30], "crunch", 6);
}

static const struct interpreter_found named = { .kind = &interpreter_ruby, .layout = &near };
/* In walks, functions cannot be described: there is no recording for them to be written to. */
static struct ruby_layout without_names;
static const struct interpreter_found found = { .kind = &interpreter_ruby,
						.layout = &without_names };
static struct scripts scripts;
static struct scripts_writer writer;
static uint64_t pcs[SCRIPT_DEPTH];
static uintptr_t kept[ARCH_HELD], outer[ARCH_HELD];

/* Returns the number of frames of the activation that registers lead to; -1: none. */
static int frames_at(uintptr_t context, uintptr_t frame)
{
	struct script_walk walk = { .found = &found,
				    .scripts = &scripts,
				    .writer = &writer,
				    .peek = { .source = &source },
				    .kept = kept,
				    .outer = outer,
				    .pcs = pcs };

	kept[0] = context;
	kept[2] = START + 16;
	kept[1] = frame;
	return interpreter_ruby.activation(&walk) && walk.code == START &&
			       walk.code_end == START + 64
		       ? walk.count
		       : -1;
}

static void whole(void)
{
	make();
	ok(frames_at(CONTEXT, INNER) == 2, "an activation of two frames, and its code");
	ok(frames_at(CONTEXT, OUTER) == 1, "that of one, outside of a method in C");
}

static void torn(void)
{
	make();
	ok(frames_at(0, INNER) < 0 && frames_at(CONTEXT, 0) < 0 &&
		   frames_at(CONTEXT, INNER + 4) < 0,
	   "registers that hold something else");
	PUT(address(STACK, 97), START, CODE, address(FLAGS, 0));
	ok(frames_at(CONTEXT, address(STACK, 97)) < 0, "a frame that has been left");
	ok(frames_at(CONTEXT, EACH) < 0, "a method in C");
	outer[1] = INNER;
	ok(frames_at(CONTEXT, INNER) < 0, "a frame that the next native frame holds as well");
	outer[1] = 0;
	PUT(CONTEXT, address(STACK, 0), 103);
	ok(frames_at(CONTEXT, INNER) < 0, "frames that do not finish before the stack ends");
	make();
	PUT(CODE, CODE_TYPE + 1);
	ok(frames_at(CONTEXT, INNER) < 0, "code that is something else");
	make();
	PUT(MIDDLE, START, CODE, 0xdead0);
	ok(frames_at(CONTEXT, INNER) < 0, "flags that are nowhere");
	make();
	is_gone[CODES] = true;
	ok(frames_at(CONTEXT, INNER) < 0, "code on a page that is not there");
}

static void names(void)
{
	struct peek peek = { .source = &source };
	static struct script_facts facts;

	make();
	ok(interpreter_ruby.describe(&peek, &named, CODE, &facts) && facts.line == 10 &&
		   !strcmp(facts.name, "crunch") && !strcmp(facts.file, "/app.rb"),
	   "name, file and first line");
	memory[CODES][12] = address(TEXTS, 10);
	ok(interpreter_ruby.describe(&peek, &named, CODE, &facts) && !strcmp(facts.file, "/app.rb"),
	   "a file that is not in a list");
	memory[CODES][13] = address(TEXTS, 0);
	ok(!interpreter_ruby.describe(&peek, &named, CODE, &facts), "a name that is not a text");
	is_gone[TEXTS] = true;
	ok(!interpreter_ruby.describe(&peek, &named, CODE, &facts), "texts that are gone");
}

int main(void)
{
	if (sizeof(uintptr_t) != 8) {
		skip("frames of Ruby", "they are read in 64 bits alone");
		return tap_done();
	}
	if (scripts_init(&scripts))
		bail_out("there is no memory");
	without_names = near;
	without_names.body_label = PAGES * (int32_t)PEEK_PAGE;
	whole();
	torn();
	names();
	return tap_done();
}
