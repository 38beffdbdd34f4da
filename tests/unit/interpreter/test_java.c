/* SPDX-License-Identifier: MIT
 *
 * test_java.c - code and frames of Java in memory that is made up: how a frame leads to its caller,
 * which methods it stands for, and what is torn.
 */
#include "interpreter/scripts.h"
#include "made_hotspot.h"
#include "tap.h"

#define TWO(low, high) ((uintptr_t)((uint64_t)(low) | (uint64_t)(high) << 32))

/* Three pieces of code, in segments of 128 bytes: a compiled method that calls itself, the
 * interpreter, and the routine by which C calls Java. Each has a block of two words before it. */
#define METHOD_BLOB  address(CODE, 2)
#define METHOD_CODE  address(CODE, 16)
#define BEHIND_CALL  (METHOD_CODE + 40)
#define BETWEEN      (METHOD_CODE + 44)
#define SECOND_PLACE (METHOD_CODE + 48)
#define DEOPT        (METHOD_CODE + 56)
#define INTERPRETER  address(CODE, 34)
#define INTERPRETED  address(CODE, 56)
#define ROUTINES     address(CODE, 66)
#define CALL_STUB    address(CODE, 76)
#define OUTER        address(METHODS, 0)
#define INNER        address(METHODS, 2)
#define OUTER_CONST  address(METHODS, 10)
#define INNER_CONST  address(METHODS, 20)
#define POOL         address(METHODS, 40)
#define CLASS        address(METHODS, 50)
#define SP           address(STACK, 100)
#define FP           address(STACK, 130)
#define FRAME_WORDS  6
#define NATIVE       ((uintptr_t)0x7000)

static struct hotspot vm;
static const struct interpreter_found named = { .kind = &interpreter_java, .vm = &vm };
/* In walks, functions cannot be described: there is no recording for them to be written to. */
static struct hotspot nameless;
static const struct interpreter_found found = { .kind = &interpreter_java, .vm = &nameless };
static struct scripts scripts;
static struct scripts_writer writer;
static uintptr_t pcs[SCRIPT_DEPTH];

static void put_text(uintptr_t at, const char *text)
{
	uint16_t length = (uint16_t)strlen(text);

	memcpy((char *)memory + (at - BASE), &length, sizeof(length));
	memcpy((char *)memory + (at - BASE) + 2, text, length);
}

static void put_code(uintptr_t at, const char *bytes, size_t count)
{
	memcpy((char *)memory + (at - BASE), bytes, count);
}

/* Writes a piece of code of some segments. */
static void make_blob(uintptr_t blob, unsigned segments, const char *name, uintptr_t text)
{
	unsigned first = (unsigned)((blob - address(CODE, 2)) >> SHIFT);
	char *map = (char *)memory[MAP];

	for (unsigned i = 0; i < segments; i++)
		map[first + i] = (char)i;
	PUT(blob - 16, segments, 1);
	PUT(blob, text, TWO(11, FRAME_WORDS), blob + 16,
	    blob - 16 + ((uintptr_t)segments << SHIFT));
	strcpy((char *)memory + (text - BASE), name);
}

static void make_method(void)
{
	make_blob(METHOD_BLOB, 2, "nmethod", address(TEXTS, 0));
	/* push %rbp; sub $32, %rsp */
	PUT(METHOD_BLOB + 16, METHOD_CODE, METHOD_CODE + 64, OUTER, address(SCOPES, 0), DEOPT, 0,
	    METHOD_CODE);
	memory[CODE][11] = TWO(16, SCOPES * 4096 - CODE * 4096 + 400 - 16);
	memory[CODE][12] =
		TWO(SCOPES * 4096 - CODE * 4096 + 800 - 16, SCOPES * 4096 - CODE * 4096 + 864 - 16);
	put_code(METHOD_CODE, "\x55\x48\x81\xec\x20\0\0\0", 8);
	put_code(BEHIND_CALL - 5, "\xe8\0\0\0\0", 5);
	put_code(METHOD_CODE + 60, "\x5d\xc3", 2);
	/* Places: before all, behind the call in the inlined method, one of the outer method alone,
	 * and behind all. */
	PUT(address(SCOPES, 50), OUTER, INNER);
	PUT(address(SCOPES, 100), TWO(-1, 0), 0, TWO(40, 8), 0, TWO(48, 4), 0, TWO(1000, 0), 0);
	/* A chain: its caller, its method and its instruction, plus 1. */
	put_code(address(SCOPES, 0) + 4, "\0\x01\x06", 3);
	put_code(address(SCOPES, 0) + 8, "\x04\x02\x03", 3);
}

static void make_methods(void)
{
	PUT(OUTER, 0, OUTER_CONST, 0, INNER_CONST);
	/* Their pool, size in words and flags, bytes of instructions and number of the name; then
	 * instructions, and lines: 10 at first, one more from the fourth instruction on. */
	PUT(OUTER_CONST, POOL, TWO(6, 1), TWO(8 | 1 << 16, 0));
	PUT(INNER_CONST, POOL, TWO(6, 0), TWO(8 | 2 << 16, 0));
	put_code(OUTER_CONST + 32, "\xff\0\x14\x21\0", 5);
	PUT(POOL, CLASS, 3, address(TEXTS, 20), address(TEXTS, 22), address(TEXTS, 24),
	    address(TEXTS, 26));
	PUT(CLASS, 0, address(TEXTS, 28));
	put_text(address(TEXTS, 22), "outer");
	put_text(address(TEXTS, 24), "inner");
	put_text(address(TEXTS, 26), "App.java");
	put_text(address(TEXTS, 28), "demo/App");
}

static void make(void)
{
	made_memory_clear();
	memset(memory[MAP], 255, sizeof(memory[MAP]));
	PUT(address(STATICS, 0), address(HEAP, 0), address(CODE, 0), address(STACK, 0),
	    address(HEAP, 30), CALL_STUB);
	PUT(address(HEAP, 0), 1, address(HEAP, 10));
	PUT(address(HEAP, 10), address(HEAP, 20));
	PUT(address(HEAP, 20), address(CODE, 0), address(STACK, 0), address(MAP, 0), 0, SHIFT);
	PUT(address(HEAP, 30), address(CODE, 48), 128);
	make_methods();
	make_method();
	make_blob(INTERPRETER, 2, "Interpreter", address(TEXTS, 4));
	make_blob(ROUTINES, 1, "StubRoutines (1)", address(TEXTS, 8));
	PUT(address(CODE, 48), address(TEXTS, 12), 128);
	strcpy((char *)&memory[TEXTS][12], "return entry points");
}

/* A frame that is stepped from. */
static struct registers registers;
static uintptr_t noted;

static int step(uintptr_t pc, bool exact)
{
	struct peek peek = { .source = &source };
	struct hotspot_steps steps = { .vm = &vm, .peek = &peek };

	registers = (struct registers){ .known = REGISTERS_ALL, .exact = exact };
	registers.value[ARCH_FRAME_PC] = pc;
	registers.value[ARCH_FRAME_SP] = SP;
	registers.value[ARCH_FRAME_FP] = FP;
	return hotspot_step(&steps, &registers, &noted);
}

static bool is_at(uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	return registers.value[ARCH_FRAME_PC] == pc && registers.value[ARCH_FRAME_SP] == sp &&
	       registers.value[ARCH_FRAME_FP] == fp && !registers.exact;
}

static void compiled_steps(void)
{
	make();
	PUT(SP + 4 * WORD, 0xf0f0, BEHIND_CALL);
	ok(!step(BEHIND_CALL, false) && is_at(BEHIND_CALL, SP + 6 * WORD, 0xf0f0) &&
		   noted == (METHOD_BLOB | HOTSPOT_NOTE_COMPILED),
	   "a compiled method has a frame of its size");
	ok(!step(BETWEEN, true) && is_at(BEHIND_CALL, SP + 6 * WORD, 0xf0f0),
	   "so has one that runs");
	PUT(SP + 4 * WORD, 0xf0f0, BETWEEN);
	ok(step(BEHIND_CALL, false) < 0, "an address that is not behind a call");
	PUT(SP + 4 * WORD, 0xf0f0, DEOPT);
	ok(!step(BEHIND_CALL, false) && is_at(DEOPT, SP + 6 * WORD, 0xf0f0),
	   "an address to be replaced, which is not either");
	PUT(SP + 4 * WORD, 0xf0f0, NATIVE);
	ok(step(BEHIND_CALL, false) < 0, "native code does not call a method");
	PUT(SP, BEHIND_CALL);
	ok(!step(METHOD_CODE, true) && is_at(BEHIND_CALL, SP + WORD, FP),
	   "at its first instruction");
	PUT(SP, 0xf0f0, BEHIND_CALL);
	ok(!step(METHOD_CODE + 1, true) && is_at(BEHIND_CALL, SP + 2 * WORD, 0xf0f0),
	   "behind push %%rbp");
	ok(!step(METHOD_CODE + 60, true) && is_at(BEHIND_CALL, SP + 2 * WORD, 0xf0f0),
	   "at pop %%rbp");
	PUT(SP, BEHIND_CALL);
	ok(!step(METHOD_CODE + 61, true) && is_at(BEHIND_CALL, SP + WORD, FP), "at ret");
	ok(step(address(CODE, 400), false) < 0 && !noted, "memory that is free has no caller");
}

static void other_steps(void)
{
	make();
	PUT(FP - 8 * WORD, 0, 0, 0, 0, 0, OUTER, 0, FP + 4 * WORD, 0xf0f0, BEHIND_CALL);
	ok(!step(INTERPRETED, false) && is_at(BEHIND_CALL, FP + 4 * WORD, 0xf0f0) &&
		   noted == (FP | HOTSPOT_NOTE_FRAME),
	   "a frame of the interpreter has its caller's stack pointer");
	ok(!step(INTERPRETED, true) && noted == (FP | HOTSPOT_NOTE_FRAME), "so has one that runs");
	PUT(FP - 3 * WORD, 0xdead0);
	ok(step(INTERPRETED, true) < 0, "unless it has no method");
	PUT(FP - WORD, FP);
	ok(step(INTERPRETED, false) < 0, "a caller's stack pointer is above the frame");
	PUT(FP, 0xf0f0, NATIVE);
	ok(!step(CALL_STUB, false) && is_at(NATIVE, FP + 2 * WORD, 0xf0f0),
	   "native code calls Java through a routine");
	ok(step(CALL_STUB - 1, false) < 0, "and no other, unless it is seen to call");
	is_gone[STACK] = true;
	ok(step(CALL_STUB, false) < 0 && step(INTERPRETED, false) < 0 &&
		   step(BEHIND_CALL, false) < 0,
	   "a stack that is gone");
	make();
	is_gone[MAP] = true;
	ok(step(BEHIND_CALL, false) < 0, "a map of a heap that is gone");
}

/* Returns the number of methods of a frame; -1: it is torn. */
static int methods_at(uintptr_t pc, uintptr_t of)
{
	struct script_walk walk = { .found = &found,
				    .scripts = &scripts,
				    .writer = &writer,
				    .peek = { .source = &source },
				    .pc = pc,
				    .sp = SP,
				    .note = of,
				    .pcs = pcs };

	return hotspot_frames(&walk) ? walk.count : -1;
}

static void methods(void)
{
	const uintptr_t compiled = METHOD_BLOB | HOTSPOT_NOTE_COMPILED;

	make();
	ok(methods_at(BEHIND_CALL, compiled) == 2, "a method that is inlined, and its caller");
	ok(methods_at(SECOND_PLACE, compiled) == 1, "a place of the caller alone");
	ok(methods_at(BETWEEN, compiled) == 1, "between both, what they have in common");
	PUT(SP + 2 * WORD, BEHIND_CALL);
	ok(methods_at(DEOPT, compiled) == 2, "a frame to be replaced has its address stored");
	PUT(FP - 8 * WORD, OUTER_CONST + 24 + 3, 0, 0, 0, 0, OUTER);
	ok(methods_at(INTERPRETED, FP | HOTSPOT_NOTE_FRAME) == 1, "a method that is interpreted");
	ok(methods_at(INTERPRETED, INNER | HOTSPOT_NOTE_ENTERED) == 1, "one that begins");
	ok(methods_at(CALL_STUB + 1, ROUTINES | HOTSPOT_NOTE_STUB) == 1, "a stub");
	ok(methods_at(CALL_STUB, 0) < 0, "nothing that is noted");
	PUT(FP - 3 * WORD, OUTER + 4);
	ok(methods_at(INTERPRETED, FP | HOTSPOT_NOTE_FRAME) < 0, "a pointer to something else");
	memory[SCOPES][51] = 0xdead0;
	ok(methods_at(BEHIND_CALL, compiled) < 0, "an inlined method that is something else");
	make();
	put_code(address(SCOPES, 0) + 8, "\x08\x02\x03", 3);
	ok(methods_at(BEHIND_CALL, compiled) == 1, "a chain that leads back ends");
	is_gone[METHODS] = true;
	ok(methods_at(BEHIND_CALL, compiled) < 0, "methods that are gone");
}

static void names(void)
{
	struct peek peek = { .source = &source };
	static struct script_facts facts;

	make();
	ok(interpreter_java.describe(&peek, &named, OUTER, &facts) &&
		   !strcmp(facts.name, "demo.App.outer") && !strcmp(facts.file, "demo/App.java") &&
		   facts.line == 10 && facts.table == OUTER_CONST + 32 && facts.table_bytes == 16,
	   "name, file and lines");
	peek = (struct peek){ .source = &source };
	put_text(address(TEXTS, 28), "A$$L$1+0x123");
	memory[METHODS][41] = 0;
	ok(interpreter_java.describe(&peek, &named, INNER, &facts) &&
		   !strcmp(facts.name, "A$$L$1.inner") && !facts.line &&
		   !strcmp(facts.file, "[made]"),
	   "a class made at run time");
	ok(interpreter_java.describe(&peek, &named, ROUTINES | HOTSPOT_NOTE_STUB, &facts) &&
		   !strcmp(facts.name, "StubRoutines (1)"),
	   "a stub");
	is_gone[TEXTS] = true;
	peek = (struct peek){ .source = &source };
	ok(!interpreter_java.describe(&peek, &named, OUTER, &facts), "texts that are gone");
}

int main(void)
{
	if (!HOTSPOT_RUNS_HERE) {
		skip("frames of Java", "they are read on x86-64 alone");
		return tap_done();
	}
	if (scripts_init(&scripts))
		bail_out("there is no memory");
	made_layout(&vm);
	nameless = vm;
	nameless.at[HOTSPOT_CLASS_NAME] = nameless.at[HOTSPOT_BLOB_NAME] = PAGES * PEEK_PAGE;
	compiled_steps();
	other_steps();
	methods();
	names();
	return tap_done();
}
