/* SPDX-License-Identifier: MIT
 *
 * hotspot_step.c - the callers of code that HotSpot has made for x86-64.
 *
 * A compiled method has a frame of a fixed size, with the return address and the caller's frame
 * pointer on top. It uses the frame pointer as any other register. A frame of the interpreter is
 * found by the frame pointer, which the code between preserves as compilers of C do.
 *
 * Where a thread was interrupted, a frame may be half made. Its code shows how far it is. All code
 * of Java is called by code that HotSpot has made, by an instruction that calls: so a wrong guess
 * shows, and the stack ends there.
 */
#include "hotspot_step.h"

#include <errno.h>

#include "hotspot_bytes.h"
#include "unwind/step.h"

#define WORD         ((uintptr_t)8)
#define FRAME_BYTES  ((uintptr_t)1 << 20) /* a frame is never larger */
#define SEARCH_BYTES 2048                 /* of the code that makes a frame */

/* DWARF numbers of registers that HotSpot uses in its own ways. */
enum { RAX = 0, RDX = 1, RCX = 2, RBX = 3, R13 = 13 };

/* A step under way. */
struct stepping {
	struct hotspot_steps *steps;
	const struct hotspot *vm;
	struct peek *peek;
	struct registers *registers;
	struct hotspot_blob blob;
	uintptr_t pc, sp, fp;
};

static uintptr_t value_of(const struct stepping *at, unsigned number)
{
	return number < ARCH_FRAME_REGISTERS && registers_know(at->registers, number)
		       ? at->registers->value[number]
		       : 0;
}

/* Returns a word of the stack; 0: that part of it is not known. */
static uintptr_t on_stack(const struct stepping *at, uintptr_t address)
{
	uintptr_t end = at->steps->stack_end;

	return end && (address > end || end - address < WORD) ? 0 : hotspot_word(at->peek, address);
}

static bool code_is(const struct stepping *at, uintptr_t address, const char *bytes, size_t count)
{
	return hotspot_has_bytes(at->peek, address, bytes, count);
}

/* ---- checks ---- */

/* Returns true if code of Java may return there, or a routine that native code calls as well. */
static bool is_return(const struct stepping *at, uintptr_t pc)
{
	struct hotspot_blob blob;

	if (at->blob.kind == HOTSPOT_ROUTINES && hotspot_is_native(at->vm, at->peek, pc))
		return hotspot_is_behind_call(at->peek, pc);
	if (!hotspot_blob(at->vm, at->peek, pc, &blob))
		return false;
	if (blob.kind == HOTSPOT_INTERPRETER_CODE)
		return true;
	if (blob.kind == HOTSPOT_METHOD &&
	    (pc == hotspot_field(at->vm, at->peek, blob.address, HOTSPOT_NMETHOD_DEOPT) ||
	     pc == hotspot_field(at->vm, at->peek, blob.address, HOTSPOT_NMETHOD_DEOPT_HANDLE)))
		return true;
	/* A thread that stops at a safepoint has not called, but seems to have. */
	return at->blob.kind == HOTSPOT_STUB || hotspot_is_behind_call(at->peek, pc);
}

/* ---- ways to a caller ---- */

static int go(struct stepping *at, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	if (sp % WORD || sp <= at->sp || sp - at->sp > FRAME_BYTES || !is_return(at, pc))
		return -EINVAL;
	at->registers->value[ARCH_FRAME_FP] = fp;
	step_finish(at->registers, sp, pc, UINT64_C(1) << ARCH_FRAME_FP);
	return 0;
}

/* Goes to the caller whose return address is so many bytes above the stack pointer. */
static int go_above(struct stepping *at, uintptr_t bytes, uintptr_t fp)
{
	return go(at, on_stack(at, at->sp + bytes), at->sp + bytes + WORD, fp);
}

/* Goes to a caller whose address is in a register: its stack may be at its end already. */
static int go_off(struct stepping *at, uintptr_t pc, uintptr_t sp)
{
	at->sp -= WORD;
	return go(at, pc, sp, at->fp);
}

static int by_size(struct stepping *at)
{
	uintptr_t bytes = (uintptr_t)at->blob.words * WORD;

	if (at->blob.words < 2)
		return -EINVAL;
	return go_above(at, bytes - WORD, on_stack(at, at->sp + bytes - 2 * WORD));
}

static bool has_frame_pointer(const struct stepping *at)
{
	return registers_know(at->registers, ARCH_FRAME_FP) && at->fp % WORD == 0 &&
	       at->fp >= at->sp && at->fp - at->sp < FRAME_BYTES;
}

/* Goes on by the frame pointer. A native function has called the routine by which C calls Java. */
static int by_frame_pointer(struct stepping *at)
{
	uintptr_t pc = on_stack(at, at->fp + WORD);
	uintptr_t saved = on_stack(at, at->fp), sp = at->fp + 2 * WORD;

	if (!has_frame_pointer(at))
		return -EINVAL;
	if (at->pc != hotspot_word(at->peek, at->vm->at[HOTSPOT_CALL_STUB_RETURN]))
		return go(at, pc, sp, saved);
	if (!pc)
		return -EINVAL;
	at->registers->value[ARCH_FRAME_FP] = saved;
	step_finish(at->registers, sp, pc, UINT64_C(1) << ARCH_FRAME_FP);
	return 0;
}

/* Goes from a frame of the interpreter to the caller. */
static int by_frame(struct stepping *at, uintptr_t *note)
{
	uintptr_t sender = on_stack(at, at->fp + (uintptr_t)HOTSPOT_FRAME_SENDER);

	if (!has_frame_pointer(at) || sender < at->fp + 2 * WORD)
		return -EINVAL;
	*note = at->fp | HOTSPOT_NOTE_FRAME;
	return go(at, on_stack(at, at->fp + WORD), sender, on_stack(at, at->fp));
}

/* ---- interrupted code ---- */

/* Tries what is likely, where the code does not show how far a frame is. */
static int by_trial(struct stepping *at)
{
	if (!by_size(at) || !go_above(at, 0, at->fp) || !go_above(at, WORD, on_stack(at, at->sp)) ||
	    !by_frame_pointer(at))
		return 1;
	return -EINVAL;
}

/* Goes on from the first instructions of a compiled method: [touch the stack]; push %rbp; [mov
 * %rsp, %rbp]; sub; or sub; mov %rbp, above. */
static int by_beginning(struct stepping *at)
{
	uintptr_t code = hotspot_field(at->vm, at->peek, at->blob.address, HOTSPOT_NMETHOD_ENTRY);

	if (at->pc > code && code_is(at, code, "\x89\x84\x24", 3))
		code += 7;
	if (at->pc <= code)
		return go_above(at, 0, at->fp);
	if (code_is(at, code, "\x55", 1)) {
		code++;
		if (at->pc > code && code_is(at, code, "\x48\x8b\xec", 3))
			code += 3;
		return at->pc <= code ? go_above(at, WORD, on_stack(at, at->sp)) : by_size(at);
	}
	if (!hotspot_is_sub(at->peek, code))
		return by_trial(at);
	/* The frame pointer is the caller's, and perhaps not stored yet. */
	return go_above(at, (uintptr_t)at->blob.words * WORD - WORD, at->fp);
}

/* Returns the address at which a frame is to be replaced, once that is on the stack: mov, %r10;
 * push %r10; jmp, or call; sub $5, (%rsp); jmp. 0: it is not. */
static uintptr_t replaced_at(const struct stepping *at)
{
	static const enum hotspot_field fields[] = { HOTSPOT_NMETHOD_DEOPT,
						     HOTSPOT_NMETHOD_DEOPT_HANDLE };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uintptr_t start = hotspot_field(at->vm, at->peek, at->blob.address, fields[i]);

		if (at->pc == start + 12 && code_is(at, start, "\x49\xba", 2))
			return start;
		if ((at->pc == start + 5 || at->pc == start + 10) &&
		    code_is(at, start, "\xe8\0\0\0\0", 5))
			return start;
	}
	return 0;
}

/* Goes on from the stubs behind a compiled method. Its calls of interpreted methods lead there: mov
 * $method, %rbx; jmp. So do frames to be replaced. Returns -EAGAIN elsewhere. */
static int by_appendix(struct stepping *at, uintptr_t *note)
{
	uintptr_t mov = code_is(at, at->pc, "\xe9", 1) ? at->pc - 10 : at->pc;
	uintptr_t method = hotspot_word(at->peek, mov + 2), replaced = replaced_at(at);

	if (code_is(at, mov, "\x48\xbb", 2) && code_is(at, mov + 10, "\xe9", 1)) {
		*note = hotspot_is_method(at->vm, at->peek, method) ? method | HOTSPOT_NOTE_ENTERED
								    : 0;
		return go_above(at, 0, at->fp);
	}
	if (!replaced)
		return -EAGAIN;
	*note = 0;
	return go(at, replaced, at->sp + WORD, at->fp);
}

/* Goes on from where a frame is made or removed, in other places than the first instructions of a
 * compiled method: a loop may be entered as well. Returns -EAGAIN elsewhere. */
static int by_edge(struct stepping *at)
{
	if (hotspot_is_push(at->peek, at->pc) || hotspot_is_ending(at->peek, at->pc) ||
	    (code_is(at, at->pc, "\x89\x84\x24", 3) && hotspot_is_push(at->peek, at->pc + 7)))
		return go_above(at, 0, at->fp);
	if (hotspot_is_push(at->peek, at->pc - 1) || code_is(at, at->pc, "\x5d", 1))
		return go_above(at, WORD, on_stack(at, at->sp));
	return -EAGAIN;
}

static int from_method(struct stepping *at, uintptr_t *note)
{
	uintptr_t address = at->blob.address;
	uint32_t stubs = hotspot_half(at->peek, address + at->vm->at[HOTSPOT_NMETHOD_STUBS]);
	int err;

	/* A compiled frame is what others will replace: none of them is made yet. */
	at->steps->replaces = false;
	*note = address | HOTSPOT_NOTE_COMPILED;
	if (!at->registers->exact)
		return by_size(at);
	/* It calls by a handle, and goes on elsewhere. */
	if (!at->blob.words)
		return go_above(at, 0, at->fp);
	if (at->pc < at->blob.start + (uintptr_t)at->blob.complete)
		return by_beginning(at);
	err = at->pc - address >= stubs ? by_appendix(at, note) : by_edge(at);
	if (err != -EAGAIN)
		return err;
	return by_size(at) ? by_trial(at) : 0;
}

/* Returns where the interpreter's entry of a method makes its frame, in the code between; 0: it is
 * not there. */
static uintptr_t search(const struct stepping *at, uintptr_t start, uintptr_t end,
			const char *bytes, size_t count)
{
	if (end - start > SEARCH_BYTES)
		end = start + SEARCH_BYTES;
	for (; start + count <= end; start++)
		if (code_is(at, start, bytes, count))
			return start;
	return 0;
}

/* Goes on from the interpreter's entry of a method: pop %rax; space for variables; push %rax; push
 * %rbp; mov %rsp, %rbp; push %r13, which is the caller's stack pointer; push 0; ... push %rbx,
 * which is the method; and so on. Returns -EAGAIN if the frame is made. */
static int by_entry(struct stepping *at, uintptr_t start, uintptr_t end, uintptr_t *note)
{
	uintptr_t pop = search(at, start, end, "\x58\x4c\x8d\x74\xcc\xf8", 6);
	uintptr_t push = search(at, start, end, "\x50\x55\x48\x8b\xec\x41\x55", 7);
	uintptr_t method = value_of(at, RBX), sender = value_of(at, R13);

	if (!push)
		return -EINVAL;
	if (at->pc >= push + 5 && at->sp <= at->fp + (uintptr_t)HOTSPOT_FRAME_LAST)
		return -EAGAIN;
	if (at->pc >= push + 5 && at->sp < at->fp)
		sender = on_stack(at, at->fp + (uintptr_t)HOTSPOT_FRAME_SENDER);
	if (!hotspot_is_method(at->vm, at->peek, method))
		return -EINVAL;
	*note = method | HOTSPOT_NOTE_ENTERED;
	if (at->pc >= push + 5)
		return go(at, on_stack(at, at->fp + WORD), sender, on_stack(at, at->fp));
	if (at->pc >= push + 1)
		return go(at, on_stack(at, at->sp + (at->pc - push - 1) * WORD), sender, at->fp);
	return go(at, pop && at->pc > pop ? value_of(at, RAX) : on_stack(at, at->sp), sender,
		  at->fp);
}

/* Goes on from the end of a method: leave; pop %r13; mov %rbx, %rsp; jmp *%r13. Returns -EAGAIN
 * elsewhere. */
static int by_exit(struct stepping *at)
{
	if (code_is(at, at->pc, "\x41\x5d\x48\x8b\xe3\x41\xff\xe5", 8))
		return go(at, on_stack(at, at->sp), value_of(at, RBX), at->fp);
	if (code_is(at, at->pc, "\x48\x8b\xe3\x41\xff\xe5", 6))
		return go(at, value_of(at, R13), value_of(at, RBX), at->fp);
	return code_is(at, at->pc, "\x41\xff\xe5", 3) ? go_off(at, value_of(at, R13), at->sp)
						      : -EAGAIN;
}

static int from_interpreter(struct stepping *at, uintptr_t *note)
{
	uintptr_t start, end, text;
	int err;

	if (at->steps->replaces)
		return -EINVAL;
	if (!at->registers->exact)
		return by_frame(at, note);
	start = hotspot_codelet(at->vm, at->peek, at->pc, &end, &text);
	if (!start)
		return -EINVAL;
	if (hotspot_begins(at->peek, text, "method entry")) {
		err = by_entry(at, start, end, note);
		if (err != -EAGAIN)
			return err;
	}
	err = by_exit(at);
	if (err != -EAGAIN)
		return err;
	if (at->sp > at->fp + (uintptr_t)HOTSPOT_FRAME_BCP ||
	    !hotspot_is_method(at->vm, at->peek,
			       on_stack(at, at->fp + (uintptr_t)HOTSPOT_FRAME_METHOD)))
		return -EINVAL;
	return by_frame(at, note);
}

/* Goes on from code by which interpreted code calls compiled code: mov (%rsp), %rax; mov %rsp,
 * %r11; and, %rsp; push %rax; mov %r11, %rax; and so on. The caller's frame is found by its
 * pointer. */
static int by_inward(struct stepping *at, uintptr_t end)
{
	uintptr_t push = search(at, at->blob.start, end, "\x50\x49\x8b\xc3", 4);

	if (at->pc > at->blob.start && at->pc <= push)
		return go_off(at, value_of(at, RAX), at->sp);
	return go_above(at, 0, at->fp);
}

/* Goes on from code by which compiled code calls interpreted code: pop %rax; mov %rsp, %r13; sub;
 * mov %rax, (%rsp); and so on. Before that, native code may have to change the caller, with the
 * stack pointer in %r13 meanwhile. */
static int by_outward(struct stepping *at, uintptr_t start)
{
	uintptr_t pop = search(at, start, at->blob.end, "\x58\x4c\x8b\xec", 4);
	uintptr_t kept = value_of(at, R13), save, store;

	if (!pop)
		return -EINVAL;
	save = search(at, start, pop, "\x4c\x8b\xec", 3);
	store = search(at, pop, at->blob.end, "\x48\x89\x04\x24", 4);
	if (save && at->pc > save && at->pc <= search(at, save, pop, "\x49\x8b\xe5", 3))
		return go(at, on_stack(at, kept), kept + WORD, at->fp);
	if (at->pc <= pop)
		return go_above(at, 0, at->fp);
	return go_off(at, at->pc <= store ? value_of(at, RAX) : on_stack(at, at->sp),
		      at->pc == pop + 1 ? at->sp : kept);
}

/* Goes on from code that moves arguments between two frames. */
static int from_adapter(struct stepping *at)
{
	uintptr_t kept = value_of(at, R13), jump;

	if (!at->registers->exact)
		return go(at, on_stack(at, kept), kept + WORD, at->fp);
	jump = search(at, at->blob.start, at->blob.end, "\x41\xff\xe3", 3);
	if (!jump)
		return -EINVAL;
	return at->pc <= jump ? by_inward(at, jump) : by_outward(at, jump + 3);
}

/* Goes on from code that calls for the handler of an exception, with the address of the method that
 * it passes through on top of the stack, or below a word that aligns that: [sub]; call; [add $8,
 * %rsp; jmp; call]. Returns -EAGAIN elsewhere. */
static int by_handler(struct stepping *at)
{
	if (hotspot_is_handled(at->peek, at->pc))
		return go_above(at, 0, at->fp);
	return code_is(at, at->pc, "\x48\x83\xc4\x08\xe9", 5) &&
			       hotspot_is_handled(at->peek, at->pc + 14)
		       ? go_above(at, WORD, at->fp)
		       : -EAGAIN;
}

/* Goes on from code without a frame. One that takes an argument from the stack has: pop %rax; pop
 * %rbx; push %rax. One by which an exception leaves ends in: pop %rdx; jmp *%rbx. */
static int from_leap(struct stepping *at)
{
	int err = by_handler(at);

	if (err != -EAGAIN)
		return err;
	if (code_is(at, at->pc - 4, "\x48\x83\xec\x08", 4))
		return go_above(at, WORD, at->fp);
	if (code_is(at, at->pc - 1, "\x5a\xff\xe3", 3))
		return go_off(at, value_of(at, RDX), at->sp);
	if (code_is(at, at->pc - 1, "\x58\x5b\x50", 3) ||
	    code_is(at, at->pc - 2, "\x58\x5b\x50", 3))
		return go_off(at, value_of(at, RAX), at->sp);
	return go_above(at, 0, at->fp);
}

static int from_routine(struct stepping *at)
{
	int err = by_handler(at);

	if (err != -EAGAIN)
		return err;
	if (!at->registers->exact)
		return by_frame_pointer(at);
	if (hotspot_begins(at->peek, at->blob.name, "flush_icache"))
		return go_above(at, 0, at->fp);
	/* push %rbp; mov %rsp, %rbp; ... pop %rbp, or leave; ret */
	err = by_edge(at);
	if (err != -EAGAIN)
		return err;
	return by_frame_pointer(at) && go_above(at, 0, at->fp) ? -EINVAL : 1;
}

/* Goes on from a stub that an exception passes through: push %rdx, which is where it was raised,
 * and so on; pop %rcx; jmp *%rcx, or pop %rdx; jmp *%r10. Returns -EAGAIN elsewhere. */
static int by_exception(struct stepping *at)
{
	if (at->pc == at->blob.start && code_is(at, at->pc, "\x52", 1))
		return go_off(at, value_of(at, RDX), at->sp);
	if (code_is(at, at->pc, "\x59\xff\xe1", 3) || code_is(at, at->pc, "\x5a\x41\xff\xe2", 4))
		return go_above(at, 0, at->fp);
	if (code_is(at, at->pc - 1, "\x59\xff\xe1", 3))
		return go_off(at, value_of(at, RCX), at->sp);
	return code_is(at, at->pc - 1, "\x5a\x41\xff\xe2", 4)
		       ? go_off(at, value_of(at, RDX), at->sp)
		       : -EAGAIN;
}

/* Goes on from a stub: push %rbp; mov %rsp, %rbp; ... pop %rbp, or leave; ret, or jmp *%rax; or as
 * a compiled method. */
static int from_stub(struct stepping *at)
{
	int err;

	if (!at->registers->exact)
		return by_size(at);
	err = by_exception(at);
	if (err != -EAGAIN)
		return err;
	if ((at->pc == at->blob.start && at->blob.kind == HOTSPOT_STUB) ||
	    code_is(at, at->pc - 1, "\x5d\xff\xe0", 3))
		return go_above(at, 0, at->fp);
	err = by_edge(at);
	if (err != -EAGAIN)
		return err;
	if (at->blob.kind == HOTSPOT_STUB && code_is(at, at->blob.start, "\x55\x48\x8b\xec", 4))
		return by_frame_pointer(at);
	return by_trial(at);
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
		return from_leap(at);
	case HOTSPOT_DEOPT:
		at->steps->replaces = true;
		return from_stub(at);
	case HOTSPOT_STUB:
		return from_stub(at);
	case HOTSPOT_ROUTINES:
		return from_routine(at);
	case HOTSPOT_NONE:
		break;
	}
	return -EINVAL;
}

int hotspot_step(struct hotspot_steps *steps, struct registers *registers, uintptr_t *note)
{
	struct stepping at = { .steps = steps,
			       .vm = steps->vm,
			       .peek = steps->peek,
			       .registers = registers,
			       .pc = registers->value[ARCH_FRAME_PC],
			       .sp = registers->value[ARCH_FRAME_SP],
			       .fp = registers->value[ARCH_FRAME_FP] };

	*note = 0;
	if (!hotspot_blob(at.vm, at.peek, at.pc, &at.blob))
		return -EINVAL;
	return from_blob(&at, note);
}
