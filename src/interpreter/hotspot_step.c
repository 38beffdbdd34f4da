/* SPDX-License-Identifier: MIT
 *
 * hotspot_step.c - the callers of code that HotSpot has made.
 *
 * The kind of a piece of code and the size of its frame lead to the caller, where that code has
 * called. Where it was interrupted, a frame may be half made: java_code.h of the CPU finds callers
 * by the instructions there. All code of Java is called by code that HotSpot has made, by an
 * instruction that calls: so a wrong guess shows, and the stack ends there.
 */
#include "hotspot_step.h"

#include <errno.h>

#include "java_code.h"
#include "unwind/step.h"

#define WORD        ((uintptr_t)8)
#define FRAME_BYTES ((uintptr_t)1 << 20) /* a frame is never larger */

/* A step under way. */
struct stepping {
	struct hotspot_steps *steps;
	const struct hotspot *vm;
	struct peek *peek;
	struct registers *registers;
	struct hotspot_blob blob;
	struct arch_made made; /* the same, for the CPU's part */
};

static uintptr_t in_code(void *context, uintptr_t address)
{
	const struct stepping *at = context;

	return hotspot_word(at->peek, address);
}

/* Returns a word of the stack; 0: that part of it is not known. */
static uintptr_t on_stack(void *context, uintptr_t address)
{
	const struct stepping *at = context;
	uintptr_t end = at->steps->stack_end;

	return end && (address > end || end - address < WORD) ? 0 : hotspot_word(at->peek, address);
}

/* ---- checks ---- */

/* Returns true if code of Java may return there, or a routine that native code calls as well. */
static bool is_return(const struct stepping *at, uintptr_t pc)
{
	struct hotspot_blob blob;

	if (at->blob.kind == HOTSPOT_ROUTINES && hotspot_is_native(at->vm, at->peek, pc))
		return arch_made_behind_call(&at->made, pc);
	if (!hotspot_blob(at->vm, at->peek, pc, &blob))
		return false;
	if (blob.kind == HOTSPOT_INTERPRETER_CODE)
		return true;
	if (blob.kind == HOTSPOT_METHOD &&
	    (pc == hotspot_field(at->vm, at->peek, blob.address, HOTSPOT_NMETHOD_DEOPT) ||
	     pc == hotspot_field(at->vm, at->peek, blob.address, HOTSPOT_NMETHOD_DEOPT_HANDLE)))
		return true;
	/* A thread that stops at a safepoint has not called, but seems to have. */
	return at->blob.kind == HOTSPOT_STUB || arch_made_behind_call(&at->made, pc);
}

/* ---- ways to a caller ---- */

static int finish(struct stepping *at, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	at->registers->value[ARCH_FRAME_FP] = fp;
	step_finish(at->registers, sp, pc, UINT64_C(1) << ARCH_FRAME_FP);
	return 0;
}

static int go(struct stepping *at, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	if (sp % WORD || sp < at->made.sp || sp - at->made.sp > FRAME_BYTES || !is_return(at, pc))
		return -EINVAL;
	return finish(at, pc, sp, fp);
}

static int by_size(struct stepping *at)
{
	uintptr_t end = at->made.sp + at->made.bytes;

	if (at->made.bytes < 2 * WORD)
		return -EINVAL;
	return go(at, on_stack(at, end - WORD), end, on_stack(at, end - 2 * WORD));
}

static bool has_frame_pointer(const struct stepping *at)
{
	return registers_know(at->registers, ARCH_FRAME_FP) && at->made.fp % WORD == 0 &&
	       at->made.fp >= at->made.sp && at->made.fp - at->made.sp < FRAME_BYTES;
}

/* Goes on by the frame pointer. A native function has called the routine by which C calls Java. */
static int by_frame_pointer(struct stepping *at)
{
	uintptr_t fp = at->made.fp, pc = on_stack(at, fp + WORD);
	uintptr_t saved = on_stack(at, fp), sp = fp + 2 * WORD;

	if (!has_frame_pointer(at))
		return -EINVAL;
	if (at->made.pc != hotspot_word(at->peek, at->vm->at[HOTSPOT_CALL_STUB_RETURN]))
		return go(at, pc, sp, saved);
	return pc ? finish(at, pc, sp, saved) : -EINVAL;
}

/* Goes from a frame of the interpreter to the caller. */
static int by_frame(struct stepping *at, uintptr_t *note)
{
	uintptr_t fp = at->made.fp, sender = on_stack(at, fp + (uintptr_t)ARCH_MADE_SENDER);

	if (!has_frame_pointer(at) || sender < fp + 2 * WORD)
		return -EINVAL;
	*note = fp | HOTSPOT_NOTE_FRAME;
	return go(at, on_stack(at, fp + WORD), sender, on_stack(at, fp));
}

static int by_caller(struct stepping *at, const struct arch_caller *caller)
{
	switch (caller->place) {
	case ARCH_CALLER_BY_SIZE:
		return by_size(at);
	case ARCH_CALLER_BY_POINTER:
		return by_frame_pointer(at);
	case ARCH_CALLER_HERE:
		break;
	}
	return go(at, caller->pc, caller->sp, caller->fp);
}

/* Goes to the first of some callers that is one. */
static int by_callers(struct stepping *at, const struct arch_callers *callers)
{
	for (int i = 0; i < callers->count; i++)
		if (!by_caller(at, &callers->at[i]))
			return i < callers->sure ? 0 : 1;
	return -EINVAL;
}

/* ---- kinds of code ---- */

static int from_method(struct stepping *at, uintptr_t *note)
{
	uintptr_t address = at->blob.address;
	struct arch_callers callers = { .count = 0 };

	/* A compiled frame is what others will replace: none of them is made yet. */
	at->steps->replaces = false;
	*note = address | HOTSPOT_NOTE_COMPILED;
	if (!at->registers->exact)
		return by_size(at);
	at->made.complete = at->blob.start + (uintptr_t)at->blob.complete;
	at->made.entry = hotspot_field(at->vm, at->peek, address, HOTSPOT_NMETHOD_ENTRY);
	at->made.stubs =
		address + hotspot_half(at->peek, address + at->vm->at[HOTSPOT_NMETHOD_STUBS]);
	at->made.replaced[0] = hotspot_field(at->vm, at->peek, address, HOTSPOT_NMETHOD_DEOPT);
	at->made.replaced[1] =
		hotspot_field(at->vm, at->peek, address, HOTSPOT_NMETHOD_DEOPT_HANDLE);
	arch_made_method(&at->made, &callers);
	if (callers.is_between)
		*note = hotspot_is_method(at->vm, at->peek, callers.entered)
				? callers.entered | HOTSPOT_NOTE_ENTERED
				: 0;
	return by_callers(at, &callers);
}

/* Goes on from the interpreter's entry of a method. Returns -EAGAIN if the frame is made. */
static int by_entry(struct stepping *at, uintptr_t start, uintptr_t end, uintptr_t *note)
{
	struct arch_callers callers = { .count = 0 };

	if (!arch_made_entry(&at->made, start, end, &callers))
		return -EAGAIN;
	if (!hotspot_is_method(at->vm, at->peek, callers.entered))
		return -EINVAL;
	*note = callers.entered | HOTSPOT_NOTE_ENTERED;
	return by_callers(at, &callers);
}

static int from_interpreter(struct stepping *at, uintptr_t *note)
{
	uintptr_t start, end, text, fp = at->made.fp;
	struct arch_callers callers = { .count = 0 };
	int err;

	if (at->steps->replaces)
		return -EINVAL;
	if (!at->registers->exact)
		return by_frame(at, note);
	start = hotspot_codelet(at->vm, at->peek, at->made.pc, &end, &text);
	if (!start)
		return -EINVAL;
	if (hotspot_begins(at->peek, text, "method entry")) {
		err = by_entry(at, start, end, note);
		if (err != -EAGAIN)
			return err;
	}
	if (arch_made_exit(&at->made, &callers))
		return by_callers(at, &callers);
	if (at->made.sp > fp + (uintptr_t)ARCH_MADE_BCP ||
	    !hotspot_is_method(at->vm, at->peek, on_stack(at, fp + (uintptr_t)ARCH_MADE_METHOD)))
		return -EINVAL;
	return by_frame(at, note);
}

/* Goes on from code without a frame, or from one of many routines. */
static int from_piece(struct stepping *at)
{
	struct arch_callers callers = { .count = 0 };

	if (arch_made_handler(&at->made, &callers))
		return by_callers(at, &callers);
	if (at->blob.kind == HOTSPOT_LEAP)
		arch_made_leap(&at->made, &callers);
	else if (!at->registers->exact)
		return by_frame_pointer(at);
	else if (hotspot_begins(at->peek, at->blob.name, "flush_icache"))
		arch_made_frameless(&at->made, &callers);
	else
		arch_made_routine(&at->made, &callers);
	return by_callers(at, &callers);
}

static int from_stub(struct stepping *at)
{
	struct arch_callers callers = { .count = 0 };

	if (!at->registers->exact)
		return by_size(at);
	arch_made_stub(&at->made, at->blob.kind == HOTSPOT_DEOPT, &callers);
	return by_callers(at, &callers);
}

/* Goes on from code that moves arguments between two frames. */
static int from_adapter(struct stepping *at)
{
	struct arch_callers callers = { .count = 0 };

	arch_made_adapter(&at->made, &callers);
	return by_callers(at, &callers);
}

static int from_blob(struct stepping *at, uintptr_t *note)
{
	*note = at->blob.address | HOTSPOT_NOTE_STUB;
	switch (at->blob.kind) {
	case HOTSPOT_METHOD:
	case HOTSPOT_METHOD_NATIVE:
		return from_method(at, note);
	case HOTSPOT_INTERPRETER_CODE:
		return from_interpreter(at, note);
	case HOTSPOT_ADAPTER:
		return from_adapter(at);
	case HOTSPOT_LEAP:
	case HOTSPOT_ROUTINES:
		return from_piece(at);
	case HOTSPOT_DEOPT:
		at->steps->replaces = true;
		return from_stub(at);
	case HOTSPOT_STUB:
		return from_stub(at);
	case HOTSPOT_NONE:
		break;
	}
	return -EINVAL;
}

int hotspot_step(struct hotspot_steps *steps, struct registers *registers, uintptr_t *note)
{
	const uintptr_t *value = registers->value;
	struct stepping at = {
		.steps = steps, .vm = steps->vm, .peek = steps->peek, .registers = registers
	};

	*note = 0;
	if (!hotspot_blob(at.vm, at.peek, value[ARCH_FRAME_PC], &at.blob))
		return -EINVAL;
	at.made = (struct arch_made){ .code = in_code,
				      .stack = on_stack,
				      .context = &at,
				      .registers = value,
				      .known = registers->known,
				      .pc = value[ARCH_FRAME_PC],
				      .sp = value[ARCH_FRAME_SP],
				      .fp = value[ARCH_FRAME_FP],
				      .is_interrupted = registers->exact,
				      .start = at.blob.start,
				      .end = at.blob.end,
				      .bytes = at.blob.words > 0 ? (uintptr_t)at.blob.words * WORD
								 : 0 };
	return from_blob(&at, note);
}
