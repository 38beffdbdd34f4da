/* SPDX-License-Identifier: MIT
 *
 * frame.h - facts about x86-64 for the stack walker: registers by their DWARF numbers, the frame
 * that the kernel makes for a signal handler, frame pointers, and procedure linkage tables that
 * nothing describes. All of it is async-signal-safe.
 */
#ifndef DWELL_ARCH_FRAME_H
#define DWELL_ARCH_FRAME_H

#ifndef _GNU_SOURCE
#error "the names of registers in <ucontext.h> need _GNU_SOURCE"
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* DWARF numbers: rax rdx rcx rbx rsi rdi rbp rsp r8-r15, and rip as the return address. */
#define ARCH_FRAME_REGISTERS 17
#define ARCH_FRAME_FP        6
#define ARCH_FRAME_SP        7
#define ARCH_FRAME_PC        16

/* Registers that a function preserves: rbx, rbp, r12-r15. */
#define ARCH_FRAME_KEPT        6
#define ARCH_FRAME_KEPT_MASK   (1U << 3 | 1U << 6 | 0xfU << 12)
#define ARCH_FRAME_BEYOND_MASK 0U
static const uint8_t arch_frame_kept[ARCH_FRAME_KEPT] = { 3, 6, 12, 13, 14, 15 };

/* Registers that functions save only if they end in __builtin_eh_return(): rax and rdx. */
#define ARCH_FRAME_LANDING_MASK 3U

/* Index in <ucontext.h> of the register of a DWARF number. */
static const uint8_t arch_frame_greg[ARCH_FRAME_REGISTERS] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

#include "x86/frame.h"

/* A signal handler returns to: mov $15, %rax; syscall. The stack pointer is at the ucontext there,
 * before each of the two instructions. */
#define ARCH_SIGNAL_RETURN_BYTES   9
#define ARCH_SIGNAL_RETURN_SYSCALL 7 /* offset of the second one */

static inline bool arch_signal_return(const uint8_t code[ARCH_SIGNAL_RETURN_BYTES])
{
	static const uint8_t expected[ARCH_SIGNAL_RETURN_BYTES] = { 0x48, 0xc7, 0xc0, 0x0f, 0,
								    0,    0,    0x0f, 0x05 };

	for (unsigned i = 0; i < ARCH_SIGNAL_RETURN_BYTES; i++)
		if (code[i] != expected[i])
			return false;
	return true;
}

/* Returns the offset of an interrupted register from the stack pointer there. */
static inline size_t arch_signal_register(unsigned number)
{
	return offsetof(ucontext_t, uc_mcontext.gregs) + sizeof(greg_t) * arch_frame_greg[number];
}

/* push %rbp; mov %rsp, %rbp: the words at rbp, and the stack pointer before the call. */
#define ARCH_FP_SAVED  0
#define ARCH_FP_RETURN 8
#define ARCH_FP_BYTES  16

/*
 * Entries of a procedure linkage table, which some linkers do not describe:
 *
 *	[endbr64] [bnd] jmp *GOT(%rip)                            ff 25 ....
 *	push $n; [bnd] jmp first                                  68 .... [f2] e9 ....
 *	first: push GOT+8(%rip); [bnd] jmp *GOT+16(%rip)          ff 35 .... [f2] ff 25 ....
 *
 * code has ARCH_PLT_BEFORE bytes in front of the program counter and ARCH_PLT_AFTER behind it.
 * Returns the distance of the return address above the stack pointer; -1: not such an entry.
 */
#define ARCH_PLT_BEFORE 8
#define ARCH_PLT_AFTER  20

static inline const uint8_t *arch_plt_skip(const uint8_t *code)
{
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
		code += 4;
	return code[0] == 0xf2 ? code + 1 : code;
}

static inline int arch_plt_depth(const uint8_t *code)
{
	const uint8_t *at = arch_plt_skip(code);

	if (at[0] == 0x68)
		return at[5] == 0xe9 || (at[5] == 0xf2 && at[6] == 0xe9) ? 0 : -1;
	if (at[0] == 0xe9)
		return code[-5] == 0x68 ? 8 : -1;
	if (at[0] == 0xff && at[1] == 0x35)
		return arch_plt_skip(at + 6)[0] == 0xff && arch_plt_skip(at + 6)[1] == 0x25 ? 8
											    : -1;
	if (at[0] == 0xff && at[1] == 0x25)
		return code[-6] == 0xff && code[-5] == 0x35 ? 16 : 0;
	return -1;
}

/*
 * A trampoline without call frame information that is copied to memory at run time, as CPython does
 * for -X perf:
 *
 *	sub $8, %rsp                                              48 83 ec 08
 *	call *%rcx                                                ff d1
 *	add $8, %rsp                                              48 83 c4 08
 *	ret                                                       c3
 *
 * code has `before` bytes in front of the program counter, at most ARCH_TRAMPOLINE_BYTES, and that
 * many behind it. Returns the distance of the return address above the stack pointer; -1: it is
 * other code.
 */
#define ARCH_TRAMPOLINE_BYTES 11

static inline int arch_trampoline_depth(const uint8_t *code, size_t before)
{
	static const uint8_t trampoline[ARCH_TRAMPOLINE_BYTES] = { 0x48, 0x83, 0xec, 0x08,
								   0xff, 0xd1, 0x48, 0x83,
								   0xc4, 0x08, 0xc3 };
	static const struct {
		uint8_t at, depth;
	} places[] = { { 0, 0 }, { 4, 8 }, { 6, 8 }, { 10, 0 } };

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].at <= before && __builtin_memcmp(code + before - places[i].at,
							       trampoline, sizeof(trampoline)) == 0)
			return places[i].depth;
	return -1;
}

/* Code that functions of makecontext() return to without call frame information. It has some here,
 * so this is unused. */
#define ARCH_CONTEXT_RETURN_BYTES 1

static inline bool arch_context_return(const uint8_t code[ARCH_CONTEXT_RETURN_BYTES])
{
	(void)code;
	return false;
}

/* Finds the target of the call before a return address: call to, call *GOT(%rip). code is the
 * ARCH_CALL_BYTES bytes before it. Returns false for any other code. is_slot: `to` is where the
 * address is stored. */
#define ARCH_CALL_BYTES 6

static inline bool arch_call(const uint8_t *code, const uintptr_t caller[], uintptr_t *to,
			     bool *is_slot)
{
	*to = arch_relative(code + 2, caller[ARCH_FRAME_PC]);
	*is_slot = code[0] == 0xff && code[1] == 0x15;
	return *is_slot || code[1] == 0xe8;
}

/* Finds the slot of the address that the PLT entry at `address` jumps to. code has ARCH_PLT_AFTER
 * bytes. Returns false if this is not such an entry. */
static inline bool arch_plt_slot(const uint8_t *code, uintptr_t address, const uintptr_t caller[],
				 uintptr_t *slot)
{
	const uint8_t *at = arch_plt_skip(code);

	(void)caller;
	*slot = arch_relative(at + 2, address + (uintptr_t)(at + 6 - code));
	return at[0] == 0xff && at[1] == 0x25;
}

#endif
