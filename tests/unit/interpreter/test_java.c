/* SPDX-License-Identifier: MIT
 *
 * test_java.c - code and frames of Java in memory that is made up: how a frame leads to its caller,
 * which methods it stands for, and what is torn.
 */
#include "interpreter/scripts.h"
#include "java_code.h"
#include "made_hotspot.h"
#include "tap.h"

static struct hotspot vm;
static const struct interpreter_found named = { .kind = &interpreter_java, .vm = &vm };
/* In walks, functions cannot be described: there is no recording for them to be written to. */
static struct hotspot nameless;
static const struct interpreter_found found = { .kind = &interpreter_java, .vm = &nameless };
static struct scripts scripts;
static struct scripts_writer writer;
static uint64_t pcs[SCRIPT_DEPTH];

/* A frame that is stepped from. */
static struct registers registers;
static uintptr_t noted;
static bool replaces;
static uintptr_t rax, rcx, rdx, r13; /* of it */

static int step(uintptr_t pc, bool exact)
{
	struct peek peek = { .source = &source };
	struct hotspot_steps steps = { .vm = &vm, .peek = &peek, .replaces = replaces };
	int err;

	registers = (struct registers){ .known = REGISTERS_ALL, .exact = exact };
	registers.value[0] = rax;
	registers.value[1] = rdx;
	registers.value[2] = rcx;
	registers.value[13] = r13;
	registers.value[ARCH_FRAME_PC] = pc;
	registers.value[ARCH_FRAME_SP] = SP;
	registers.value[ARCH_FRAME_FP] = FP;
	err = hotspot_step(&steps, &registers, &noted);
	replaces = steps.replaces;
	return err;
}

static bool is_at(uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	return registers.value[ARCH_FRAME_PC] == pc && registers.value[ARCH_FRAME_SP] == sp &&
	       registers.value[ARCH_FRAME_FP] == fp && !registers.exact;
}

static void compiled_steps(void)
{
	made_hotspot();
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
	PUT(SP + 4 * WORD, 0xf0f0, DEOPT);
	ok(!step(LEFT, true) && is_at(BEHIND_CALL, SP + WORD, FP),
	   "at the jump by which an exception leaves, though a frame seems to be there");
	put_code(LEFT - 5, "\x90", 1);
	ok(!step(LEFT, true) && is_at(DEOPT, SP + 6 * WORD, 0xf0f0), "at any other jump");
	ok(step(address(CODE, 400), false) < 0 && !noted, "memory that is free has no caller");
}

/* Stubs behind a method: the frame is whole, and an address may be on top of it. */
static void appended_steps(void)
{
	made_hotspot();
	/* A frame of the method's size seems to be there. */
	PUT(SP, BEHIND_CALL, 0, 0, 0, 0xf0f0, BEHIND_CALL);
	ok(!step(TO_INNER, true) && is_at(BEHIND_CALL, SP + WORD, FP) &&
		   noted == (INNER | HOTSPOT_NOTE_ENTERED),
	   "a call of an interpreted method has entered it");
	ok(!step(TO_INNER + 10, true) && is_at(BEHIND_CALL, SP + WORD, FP) &&
		   noted == (INNER | HOTSPOT_NOTE_ENTERED),
	   "so has the jump behind");
	PUT(TO_INNER + 2, 0);
	ok(!step(TO_INNER, true) && is_at(BEHIND_CALL, SP + WORD, FP) && !noted,
	   "one that is not bound to a method yet");
	PUT(SP, DEOPT);
	ok(!step(DEOPT + 12, true) && is_at(DEOPT, SP + WORD, FP) && !noted,
	   "a frame to be replaced, once its address is on the stack");
	ok(!step(DEOPT + 10, true) && is_at(BEHIND_CALL, SP + 6 * WORD, 0xf0f0), "and before");
	put_code(DEOPT, "\xe8\0\0\0\0\x48\x83\x2c\x24\x05\xe9", 11);
	PUT(SP, DEOPT + 5);
	ok(!step(DEOPT + 5, true) && is_at(DEOPT, SP + WORD, FP), "the same by a call");
	ok(!step(DEOPT, true) && is_at(BEHIND_CALL, SP + 6 * WORD, 0xf0f0), "and before that");
}

/* Frames that are made and removed elsewhere, though one of the right size seems to be there. */
static void edge_steps(void)
{
	const uintptr_t loop = METHOD_CODE + 12;

	made_hotspot();
	put_code(loop, "\x89\x84\x24\0\0\0\0\x55\x48\x83\xec\x20", 12);
	PUT(SP, BEHIND_CALL, BEHIND_CALL, 0, 0, 0xf0f0, BEHIND_CALL);
	ok(!step(loop, true) && is_at(BEHIND_CALL, SP + WORD, FP), "a loop that is entered");
	ok(!step(loop + 7, true) && is_at(BEHIND_CALL, SP + WORD, FP), "at its push %%rbp");
	ok(!step(loop + 8, true) && is_at(BEHIND_CALL, SP + 2 * WORD, BEHIND_CALL), "behind that");
	put_code(loop, "\xc9\x49\x81\x7f\x08\0\0\0\0\x0f\x85\x01\0\0\0\xc3", 16);
	ok(!step(loop + 1, true) && is_at(BEHIND_CALL, SP + WORD, FP) && !step(loop + 9, true) &&
		   is_at(BEHIND_CALL, SP + WORD, FP),
	   "behind the leave of a method that has called a native one");
	PUT(METHOD_BLOB + 8, TWO(11, 0));
	ok(!step(loop + 3, true) && is_at(BEHIND_CALL, SP + WORD, FP), "a method without a frame");
}

static void adapter_steps(void)
{
	made_hotspot();
	rax = r13 = 0;
	PUT(SP, BEHIND_CALL);
	ok(!step(INWARD, true) && is_at(BEHIND_CALL, SP + WORD, FP), "a compiled method is called");
	rax = BEHIND_CALL;
	PUT(SP, DEOPT);
	ok(!step(INWARD + 11, true) && is_at(BEHIND_CALL, SP, FP),
	   "the address is in a register, and an old one on the stack");
	ok(!step(INWARD + 12, true) && is_at(DEOPT, SP + WORD, FP), "and on the stack again");
	/* Interpreted code has left it there. */
	r13 = SP + 20 * WORD;
	rax = 0;
	PUT(SP, BEHIND_CALL);
	ok(!step(OUTWARD, true) && is_at(BEHIND_CALL, SP + WORD, FP),
	   "an interpreted method is called: the caller's stack is not known yet");
	r13 = SP + 6 * WORD;
	PUT(SP + 6 * WORD, DEOPT);
	ok(!step(OUTWARD + 4, true) && is_at(DEOPT, SP + 7 * WORD, FP),
	   "while the caller is changed");
	ok(!step(OUTWARD + 9, false) && is_at(DEOPT, SP + 7 * WORD, FP), "by native code");
	rax = DEOPT;
	ok(!step(OUTWARD + 14, true) && is_at(DEOPT, SP, FP), "behind pop %%rax");
	ok(!step(OUTWARD + 21, true) && is_at(DEOPT, SP + 6 * WORD, FP),
	   "with space for arguments");
	ok(!step(OUTWARD + 25, true) && is_at(BEHIND_CALL, SP + 6 * WORD, FP),
	   "with the address on the stack");
	ok(!step(HANDLED, true) && is_at(BEHIND_CALL, SP + WORD, FP), "a call by a handle");
	ok(!step(HANDLED + 2, true) && is_at(DEOPT, SP, FP) && !step(HANDLED + 3, true) &&
		   is_at(DEOPT, SP, FP),
	   "which takes an argument from the stack");
}

static void stub_steps(void)
{
	made_hotspot();
	/* A frame of the stub's size seems to be there. */
	PUT(SP, BEHIND_CALL, DEOPT, 0, 0, 0xf0f0, OUTWARD);
	PUT(FP, 0xf1f1, BEHIND_CALL);
	ok(!step(STUB_CODE, true) && is_at(BEHIND_CALL, SP + WORD, FP), "a stub begins");
	ok(!step(STUB_CODE + 1, true) && is_at(DEOPT, SP + 2 * WORD, BEHIND_CALL),
	   "behind its push %%rbp");
	ok(!step(STUB_CODE + 4, true) && is_at(BEHIND_CALL, FP + 2 * WORD, 0xf1f1),
	   "by its frame pointer");
	ok(!step(STUB_CODE + 6, true) && is_at(BEHIND_CALL, SP + WORD, FP), "behind its leave");
	rcx = rdx = BETWEEN;
	ok(!step(STUB_CODE + 7, true) && is_at(BETWEEN, SP, FP), "at the jump to a handler");
	ok(!step(STUB_CODE + 10, true) && is_at(BEHIND_CALL, SP + WORD, FP), "at another jump");
	ok(!step(RAISED, true) && is_at(BETWEEN, SP, FP),
	   "an exception: its place is in a register");
	ok(!step(RAISED + 5, true) && is_at(BEHIND_CALL, SP + WORD, FP), "and on the stack");
	ok(!step(RAISED + 6, true) && is_at(BETWEEN, SP, FP), "and in a register again");
}

/* A stub without a frame, which aligns the stack for its call of native code. */
static void unwinding_steps(void)
{
	made_hotspot();
	rdx = BEHIND_CALL;
	PUT(SP, BEHIND_CALL, DEOPT);
	ok(!step(UNWINDING, true) && is_at(BEHIND_CALL, SP + WORD, FP) &&
		   noted == (UNWINDER | HOTSPOT_NOTE_STUB),
	   "an exception leaves a method: its caller is on top of the stack");
	ok(!step(UNWINDING + 10, true) && is_at(DEOPT, SP + 2 * WORD, FP),
	   "below an aligning word");
	ok(!step(UNWINDING + 15, false) && is_at(DEOPT, SP + 2 * WORD, FP), "behind the call");
	ok(!step(UNWINDING + 29, false) && is_at(BEHIND_CALL, SP + WORD, FP),
	   "behind the call that needs none");
	PUT(SP, DEOPT);
	ok(!step(UNWINDING + 36, true) && is_at(BEHIND_CALL, SP, FP), "and in a register at last");
	PUT(FP, 0xf1f1, BEHIND_CALL);
	put_code(CALL_STUB - 4, "\x48\x8b\xd8\x5a", 4);
	ok(!step(CALL_STUB - 4, false) && is_at(DEOPT, SP + WORD, FP),
	   "a routine that looks for a handler has no frame either");
}

static void other_steps(void)
{
	made_hotspot();
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
	made_hotspot();
	is_gone[MAP] = true;
	ok(step(BEHIND_CALL, false) < 0, "a map of a heap that is gone");
}

/* While frames are replaced, those of the interpreter may be unfinished. */
static void replacing_steps(void)
{
	made_hotspot();
	PUT(SP + 4 * WORD, FP, INTERPRETED);
	PUT(FP - 8 * WORD, 0, 0, 0, 0, 0, OUTER, 0, FP + 4 * WORD, 0xf0f0, BEHIND_CALL);
	ok(!step(REPLACING, false) && is_at(INTERPRETED, SP + 6 * WORD, FP), "frames are replaced");
	ok(step(INTERPRETED, false) < 0, "then a frame of the interpreter may be unfinished");
	PUT(SP + 4 * WORD, FP, DEOPT);
	ok(!step(REPLACING, false) && is_at(DEOPT, SP + 6 * WORD, FP), "or are to be replaced");
	PUT(SP + 4 * WORD, FP, INTERPRETED);
	ok(!step(DEOPT, false) && !step(INTERPRETED, false),
	   "then those of the interpreter are older, and whole");
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

	made_hotspot();
	ok(methods_at(BEHIND_CALL, compiled) == 2, "a method that is inlined, and its caller");
	ok(methods_at(SECOND_PLACE, compiled) == 1, "a place of the caller alone");
	ok(methods_at(BETWEEN, compiled) == 1 && methods_at(SECOND_PLACE + 1, compiled) == 1,
	   "between both, what they have in common");
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
	made_hotspot();
	put_code(address(SCOPES, 0) + 8, "\x08\x02\x03", 3);
	ok(methods_at(BEHIND_CALL, compiled) == 1, "a chain that leads back ends");
	is_gone[METHODS] = true;
	ok(methods_at(BEHIND_CALL, compiled) < 0, "methods that are gone");
}

static void names(void)
{
	struct peek peek = { .source = &source };
	static struct script_facts facts;

	made_hotspot();
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
	if (!ARCH_MADE_CODE) {
		skip("frames of Java", "they are read on x86-64 alone");
		return tap_done();
	}
	if (scripts_init(&scripts))
		bail_out("there is no memory");
	made_layout(&vm);
	nameless = vm;
	nameless.at[HOTSPOT_CLASS_NAME] = nameless.at[HOTSPOT_BLOB_NAME] = PAGES * PEEK_PAGE;
	compiled_steps();
	appended_steps();
	edge_steps();
	adapter_steps();
	stub_steps();
	unwinding_steps();
	other_steps();
	replacing_steps();
	methods();
	names();
	return tap_done();
}
