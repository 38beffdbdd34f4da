/* SPDX-License-Identifier: MIT
 *
 * java_code.h - code that HotSpot has made for x86-64: the instructions by which it shows how far a
 * frame is made. In a handler.
 */
#ifndef DWELL_ARCH_JAVA_CODE_H
#define DWELL_ARCH_JAVA_CODE_H

#include "java_callers.h"

#define ARCH_MADE_CODE 1

/* Words of a frame of the interpreter, from its frame pointer; and the register that has the
 * instruction while its code runs. */
#define ARCH_MADE_SENDER   (-8)
#define ARCH_MADE_METHOD   (-24)
#define ARCH_MADE_BCP      (-64)
#define ARCH_MADE_LAST     (-72)
#define ARCH_MADE_BCP_HELD 13

#define MADE_SEARCH_BYTES 2048 /* of the code that makes a frame */

/* DWARF numbers of registers that HotSpot uses in its own ways. */
enum { MADE_RAX = 0, MADE_RDX = 1, MADE_RCX = 2, MADE_RBX = 3, MADE_R13 = 13 };

/* ---- instructions ---- */

static inline bool made_is(const struct arch_made *at, uintptr_t address, const char *bytes,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uintptr_t place = (address + i) % ARCH_MADE_WORD;
		uintptr_t word = at->code(at->context, address + i - place);

		if ((uint8_t)(word >> 8 * place) != (uint8_t)bytes[i])
			return false;
	}
	return true;
}

/* Returns the first place of some bytes between two addresses; 0: none. */
static inline uintptr_t made_search(const struct arch_made *at, uintptr_t start, uintptr_t end,
				    const char *bytes, size_t count)
{
	if (end - start > MADE_SEARCH_BYTES)
		end = start + MADE_SEARCH_BYTES;
	for (; start + count <= end; start++)
		if (made_is(at, start, bytes, count))
			return start;
	return 0;
}

static inline uint8_t made_byte(const struct arch_made *at, uintptr_t address)
{
	return (uint8_t)at->code(at->context, address);
}

/* Returns true for an instruction that calls by a register or by memory, of so many bytes. */
static inline bool made_is_call(const struct arch_made *at, uintptr_t address, unsigned bytes)
{
	uint8_t mode;

	if (made_byte(at, address) != 0xff)
		return false;
	mode = made_byte(at, address + 1);
	if ((mode >> 3 & 7) != 2)
		return false;
	switch (mode >> 6) {
	case 3:
		return bytes == 2;
	case 2:
		return bytes == ((mode & 7) == 4 ? 7 : 6);
	case 1:
		return bytes == ((mode & 7) == 4 ? 4 : 3);
	default:
		return bytes == ((mode & 7) == 4 ? 3 : (mode & 7) == 5 ? 6 : 2);
	}
}

static inline bool arch_made_behind_call(const struct arch_made *at, uintptr_t pc)
{
	if (made_byte(at, pc - 5) == 0xe8)
		return true;
	for (unsigned bytes = 2; bytes <= 7; bytes++)
		if (made_is_call(at, pc - bytes, bytes))
			return true;
	return false;
}

/* sub $n, %rsp */
static inline bool made_is_sub(const struct arch_made *at, uintptr_t address)
{
	return made_is(at, address, "\x48\x81\xec", 3) || made_is(at, address, "\x48\x83\xec", 3);
}

/* Returns true for push %rbp; mov %rsp, %rbp, or sub $n, %rsp: a frame is made. */
static inline bool made_is_push(const struct arch_made *at, uintptr_t address)
{
	return made_is(at, address, "\x55\x48\x8b\xec", 4) ||
	       (made_is(at, address, "\x55", 1) && made_is_sub(at, address + 1));
}

/* Returns true behind add $n, %rsp; pop %rbp. */
static inline bool made_is_popped(const struct arch_made *at)
{
	return made_is(at, at->pc - 1, "\x5d", 1) && (made_is(at, at->pc - 5, "\x48\x83\xc4", 3) ||
						      made_is(at, at->pc - 8, "\x48\x81\xc4", 3));
}

/* Returns true behind the pop %rbp of a compiled method: cmp poll(%r15), %rsp; ja; ret. A method
 * that an exception leaves ends in a jump instead, one that calls a native method in: leave; cmpq;
 * jne; ret. */
static inline bool made_is_ending(const struct arch_made *at)
{
	uintptr_t pc = at->pc;

	if (made_is(at, pc, "\xc3", 1))
		return true;
	if (made_is(at, pc, "\x0f\x87", 2) || made_is(at, pc, "\x0f\x85", 2))
		return made_is(at, pc + 6, "\xc3", 1);
	if (made_is(at, pc, "\xe9", 1))
		return made_is_popped(at);
	return made_is(at, pc - 1, "\x5d\x49\x3b\xa7", 4) ||
	       made_is(at, pc - 1, "\x5d\x49\x3b\x67", 4) ||
	       made_is(at, pc - 1, "\xc9\x49\x81\x7f", 4);
}

/* Returns true behind the call that finds the handler of an exception: mov %rax, %rbx; [mov %r14,
 * %rax]; pop %rdx. */
static inline bool made_is_handled(const struct arch_made *at, uintptr_t pc)
{
	return made_is(at, pc, "\x48\x8b\xd8\x5a", 4) ||
	       made_is(at, pc, "\x48\x8b\xd8\x49\x8b\xc6\x5a", 7);
}

/* ---- ways to a caller ---- */

/* The return address is so many bytes above the stack pointer. */
static inline bool made_above(const struct arch_made *at, uintptr_t bytes, uintptr_t fp,
			      struct arch_callers *to)
{
	return arch_callers_sure(to, arch_made_stack(at, at->sp + bytes),
				 at->sp + bytes + ARCH_MADE_WORD, fp);
}

/* The same behind push %rbp. */
static inline bool made_pushed(const struct arch_made *at, struct arch_callers *to)
{
	return made_above(at, ARCH_MADE_WORD, arch_made_stack(at, at->sp), to);
}

/* Adds what is likely, where the code does not show how far a frame is. */
static inline bool made_trial(const struct arch_made *at, struct arch_callers *to)
{
	arch_callers_add(to, ARCH_CALLER_BY_SIZE, 0, 0, 0);
	arch_callers_add(to, ARCH_CALLER_HERE, arch_made_stack(at, at->sp), at->sp + ARCH_MADE_WORD,
			 at->fp);
	arch_callers_add(to, ARCH_CALLER_HERE, arch_made_stack(at, at->sp + ARCH_MADE_WORD),
			 at->sp + 2 * ARCH_MADE_WORD, arch_made_stack(at, at->sp));
	arch_callers_add(to, ARCH_CALLER_BY_POINTER, 0, 0, 0);
	return true;
}

/* Finds the caller of code without a frame. */
static inline bool arch_made_frameless(const struct arch_made *at, struct arch_callers *to)
{
	return made_above(at, 0, at->fp, to);
}

/* ---- compiled methods ---- */

/* Goes on from the first instructions: [touch the stack]; push %rbp; [mov %rsp, %rbp]; sub; or sub;
 * mov %rbp, above. */
static inline bool made_beginning(const struct arch_made *at, struct arch_callers *to)
{
	uintptr_t code = at->entry;

	if (at->pc > code && made_is(at, code, "\x89\x84\x24", 3))
		code += 7;
	if (at->pc <= code)
		return made_above(at, 0, at->fp, to);
	if (made_is(at, code, "\x55", 1)) {
		code++;
		if (at->pc > code && made_is(at, code, "\x48\x8b\xec", 3))
			code += 3;
		return at->pc <= code ? made_pushed(at, to)
				      : arch_callers_sure_by(to, ARCH_CALLER_BY_SIZE);
	}
	if (!made_is_sub(at, code))
		return made_trial(at, to);
	/* The frame pointer is the caller's, and perhaps not stored yet. */
	return made_above(at, at->bytes - ARCH_MADE_WORD, at->fp, to);
}

/* Returns the address at which a frame is to be replaced, once that is on the stack: mov, %r10;
 * push %r10; jmp, or call; sub $5, (%rsp); jmp. 0: it is not. */
static inline uintptr_t made_replaced(const struct arch_made *at)
{
	for (size_t i = 0; i < sizeof(at->replaced) / sizeof(at->replaced[0]); i++) {
		uintptr_t start = at->replaced[i];

		if (at->pc == start + 12 && made_is(at, start, "\x49\xba", 2))
			return start;
		if ((at->pc == start + 5 || at->pc == start + 10) &&
		    made_is(at, start, "\xe8\0\0\0\0", 5))
			return start;
	}
	return 0;
}

/* Goes on from the stubs behind a compiled method. Its calls of interpreted methods lead there: mov
 * $method, %rbx; jmp. So do frames to be replaced. Returns false elsewhere. */
static inline bool made_appendix(const struct arch_made *at, struct arch_callers *to)
{
	uintptr_t mov = made_is(at, at->pc, "\xe9", 1) ? at->pc - 10 : at->pc;
	uintptr_t replaced = made_replaced(at);

	if (made_is(at, mov, "\x48\xbb", 2) && made_is(at, mov + 10, "\xe9", 1)) {
		to->is_between = true;
		to->entered = at->code(at->context, mov + 2);
		return made_above(at, 0, at->fp, to);
	}
	to->is_between = replaced;
	return replaced && arch_callers_sure(to, replaced, at->sp + ARCH_MADE_WORD, at->fp);
}

/* Goes on from where a frame is made or removed, in other places than the first instructions of a
 * compiled method: a loop may be entered as well. Returns false elsewhere. */
static inline bool made_edge(const struct arch_made *at, struct arch_callers *to)
{
	if (made_is_push(at, at->pc) || made_is_ending(at) ||
	    (made_is(at, at->pc, "\x89\x84\x24", 3) && made_is_push(at, at->pc + 7)))
		return made_above(at, 0, at->fp, to);
	return (made_is_push(at, at->pc - 1) || made_is(at, at->pc, "\x5d", 1)) &&
	       made_pushed(at, to);
}

/* Finds callers of a compiled method that was interrupted. */
static inline void arch_made_method(const struct arch_made *at, struct arch_callers *to)
{
	/* Without a frame, it calls by a handle, and goes on elsewhere. */
	if (!at->bytes) {
		made_above(at, 0, at->fp, to);
		return;
	}
	if (at->pc < at->complete) {
		made_beginning(at, to);
		return;
	}
	if (at->pc >= at->stubs ? made_appendix(at, to) : made_edge(at, to))
		return;
	made_trial(at, to);
	to->sure = 1;
}

/* ---- the interpreter ---- */

/* Finds the caller while the entry of a method makes its frame: pop %rax; space for variables; push
 * %rax; push %rbp; mov %rsp, %rbp; push %r13, which is the caller's stack pointer; push 0; ... push
 * %rbx, which is the method; and so on. Returns false if the frame is made. */
static inline bool arch_made_entry(const struct arch_made *at, uintptr_t start, uintptr_t end,
				   struct arch_callers *to)
{
	uintptr_t pop = made_search(at, start, end, "\x58\x4c\x8d\x74\xcc\xf8", 6);
	uintptr_t push = made_search(at, start, end, "\x50\x55\x48\x8b\xec\x41\x55", 7);
	uintptr_t sender = arch_made_register(at, MADE_R13);

	if (!push)
		return true;
	if (at->pc >= push + 5 && at->sp <= at->fp + (uintptr_t)ARCH_MADE_LAST)
		return false;
	if (at->pc >= push + 5 && at->sp < at->fp)
		sender = arch_made_stack(at, at->fp + (uintptr_t)ARCH_MADE_SENDER);
	to->is_between = true;
	to->entered = arch_made_register(at, MADE_RBX);
	if (at->pc >= push + 5)
		return arch_callers_sure(to, arch_made_stack(at, at->fp + ARCH_MADE_WORD), sender,
					 arch_made_stack(at, at->fp));
	if (at->pc >= push + 1)
		return arch_callers_sure(
			to, arch_made_stack(at, at->sp + (at->pc - push - 1) * ARCH_MADE_WORD),
			sender, at->fp);
	return arch_callers_sure(to,
				 pop && at->pc > pop ? arch_made_register(at, MADE_RAX)
						     : arch_made_stack(at, at->sp),
				 sender, at->fp);
}

/* Finds the caller at the end of a method: leave; pop %r13; mov %rbx, %rsp; jmp *%r13. Returns
 * false elsewhere. */
static inline bool arch_made_exit(const struct arch_made *at, struct arch_callers *to)
{
	uintptr_t r13 = arch_made_register(at, MADE_R13);

	if (made_is(at, at->pc, "\x41\x5d\x48\x8b\xe3\x41\xff\xe5", 8))
		return arch_callers_sure(to, arch_made_stack(at, at->sp),
					 arch_made_register(at, MADE_RBX), at->fp);
	if (made_is(at, at->pc, "\x48\x8b\xe3\x41\xff\xe5", 6))
		return arch_callers_sure(to, r13, arch_made_register(at, MADE_RBX), at->fp);
	return made_is(at, at->pc, "\x41\xff\xe5", 3) && arch_callers_sure(to, r13, at->sp, at->fp);
}

/* ---- between frames ---- */

/* Goes on from code by which interpreted code calls compiled code: mov (%rsp), %rax; mov %rsp,
 * %r11; and, %rsp; push %rax; mov %r11, %rax; and so on. The caller's frame is found by its
 * pointer. */
static inline bool made_inward(const struct arch_made *at, uintptr_t end, struct arch_callers *to)
{
	uintptr_t push = made_search(at, at->start, end, "\x50\x49\x8b\xc3", 4);

	if (at->pc > at->start && at->pc <= push)
		return arch_callers_sure(to, arch_made_register(at, MADE_RAX), at->sp, at->fp);
	return made_above(at, 0, at->fp, to);
}

/* Goes on from code by which compiled code calls interpreted code: pop %rax; mov %rsp, %r13; sub;
 * mov %rax, (%rsp); and so on. Before that, native code may have to change the caller, with the
 * stack pointer in %r13 meanwhile. */
static inline bool made_outward(const struct arch_made *at, uintptr_t start,
				struct arch_callers *to)
{
	uintptr_t pop = made_search(at, start, at->end, "\x58\x4c\x8b\xec", 4);
	uintptr_t kept = arch_made_register(at, MADE_R13), save, store;

	if (!pop)
		return false;
	save = made_search(at, start, pop, "\x4c\x8b\xec", 3);
	store = made_search(at, pop, at->end, "\x48\x89\x04\x24", 4);
	if (save && at->pc > save && at->pc <= made_search(at, save, pop, "\x49\x8b\xe5", 3))
		return arch_callers_sure(to, arch_made_stack(at, kept), kept + ARCH_MADE_WORD,
					 at->fp);
	if (at->pc <= pop)
		return made_above(at, 0, at->fp, to);
	return arch_callers_sure(to,
				 at->pc <= store ? arch_made_register(at, MADE_RAX)
						 : arch_made_stack(at, at->sp),
				 at->pc == pop + 1 ? at->sp : kept, at->fp);
}

/* Finds callers of code that moves arguments between two frames. */
static inline void arch_made_adapter(const struct arch_made *at, struct arch_callers *to)
{
	uintptr_t kept = arch_made_register(at, MADE_R13), jump;

	if (!at->is_interrupted) {
		arch_callers_sure(to, arch_made_stack(at, kept), kept + ARCH_MADE_WORD, at->fp);
		return;
	}
	jump = made_search(at, at->start, at->end, "\x41\xff\xe3", 3);
	if (!jump)
		return;
	if (at->pc <= jump)
		made_inward(at, jump, to);
	else
		made_outward(at, jump + 3, to);
}

/* Finds the caller of code that calls for the handler of an exception, with the address of the
 * method that it passes through on top of the stack, or below a word that aligns that: [sub]; call;
 * [add $8, %rsp; jmp; call]. Returns false elsewhere. */
static inline bool arch_made_handler(const struct arch_made *at, struct arch_callers *to)
{
	if (made_is_handled(at, at->pc))
		return made_above(at, 0, at->fp, to);
	return made_is(at, at->pc, "\x48\x83\xc4\x08\xe9", 5) && made_is_handled(at, at->pc + 14) &&
	       made_above(at, ARCH_MADE_WORD, at->fp, to);
}

/* Finds the caller of code without a frame. One that takes an argument from the stack has: pop
 * %rax; pop %rbx; push %rax. One by which an exception leaves ends in: pop %rdx; jmp *%rbx. */
static inline void arch_made_leap(const struct arch_made *at, struct arch_callers *to)
{
	if (made_is(at, at->pc - 4, "\x48\x83\xec\x08", 4))
		made_above(at, ARCH_MADE_WORD, at->fp, to);
	else if (made_is(at, at->pc - 1, "\x5a\xff\xe3", 3))
		arch_callers_sure(to, arch_made_register(at, MADE_RDX), at->sp, at->fp);
	else if (made_is(at, at->pc - 1, "\x58\x5b\x50", 3) ||
		 made_is(at, at->pc - 2, "\x58\x5b\x50", 3))
		arch_callers_sure(to, arch_made_register(at, MADE_RAX), at->sp, at->fp);
	else
		made_above(at, 0, at->fp, to);
}

/* Finds callers of a routine that was interrupted: push %rbp; mov %rsp, %rbp; ... pop %rbp, or
 * leave; ret. */
static inline void arch_made_routine(const struct arch_made *at, struct arch_callers *to)
{
	if (made_edge(at, to))
		return;
	arch_callers_add(to, ARCH_CALLER_BY_POINTER, 0, 0, 0);
	arch_callers_add(to, ARCH_CALLER_HERE, arch_made_stack(at, at->sp), at->sp + ARCH_MADE_WORD,
			 at->fp);
}

/* Goes on from a stub that an exception passes through: push %rdx, which is where it was raised,
 * and so on; pop %rcx; jmp *%rcx, or pop %rdx; jmp *%r10. Returns false elsewhere. */
static inline bool made_exception(const struct arch_made *at, struct arch_callers *to)
{
	uintptr_t rdx = arch_made_register(at, MADE_RDX);

	if (at->pc == at->start && made_is(at, at->pc, "\x52", 1))
		return arch_callers_sure(to, rdx, at->sp, at->fp);
	if (made_is(at, at->pc, "\x59\xff\xe1", 3) || made_is(at, at->pc, "\x5a\x41\xff\xe2", 4))
		return made_above(at, 0, at->fp, to);
	if (made_is(at, at->pc - 1, "\x59\xff\xe1", 3))
		return arch_callers_sure(to, arch_made_register(at, MADE_RCX), at->sp, at->fp);
	return made_is(at, at->pc - 1, "\x5a\x41\xff\xe2", 4) &&
	       arch_callers_sure(to, rdx, at->sp, at->fp);
}

/* Finds callers of a stub that was interrupted: push %rbp; mov %rsp, %rbp; ... pop %rbp, or leave;
 * ret, or jmp *%rax; or as a compiled method. replaces: it replaces frames. */
static inline void arch_made_stub(const struct arch_made *at, bool replaces,
				  struct arch_callers *to)
{
	if (made_exception(at, to))
		return;
	if ((at->pc == at->start && !replaces) || made_is(at, at->pc - 1, "\x5d\xff\xe0", 3)) {
		made_above(at, 0, at->fp, to);
		return;
	}
	if (made_edge(at, to))
		return;
	if (!replaces && made_is(at, at->start, "\x55\x48\x8b\xec", 4))
		arch_callers_sure_by(to, ARCH_CALLER_BY_POINTER);
	else
		made_trial(at, to);
}

#endif
