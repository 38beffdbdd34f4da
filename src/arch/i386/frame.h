/* SPDX-License-Identifier: MIT
 *
 * frame.h - facts about i386 for the stack walker: registers by their DWARF numbers, the frame that
 * the kernel makes for a signal handler, frame pointers, and procedure linkage tables that nothing
 * describes. All of it is async-signal-safe.
 */
#ifndef DWELL_ARCH_FRAME_H
#define DWELL_ARCH_FRAME_H

#ifndef _GNU_SOURCE
#error "the names of registers in <ucontext.h> need _GNU_SOURCE"
#endif
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* DWARF numbers: eax ecx edx ebx esp ebp esi edi, and eip as the return address. */
#define ARCH_FRAME_REGISTERS 9
#define ARCH_FRAME_SP        4
#define ARCH_FRAME_FP        5
#define ARCH_FRAME_PC        8

/* Registers that a function preserves: ebx, ebp, esi, edi. */
#define ARCH_FRAME_KEPT        4
#define ARCH_FRAME_KEPT_MASK   (1U << 3 | 7U << 5)
#define ARCH_FRAME_BEYOND_MASK 0U
static const uint8_t arch_frame_kept[ARCH_FRAME_KEPT] = { 3, 5, 6, 7 };

/* Registers that functions save only if they end in __builtin_eh_return(): eax and edx. */
#define ARCH_FRAME_LANDING_MASK 5U

/* Index in <ucontext.h> of the register of a DWARF number. */
static const uint8_t arch_frame_greg[ARCH_FRAME_REGISTERS] = {
	REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP, REG_EBP, REG_ESI, REG_EDI, REG_EIP,
};

#include "x86/frame.h"

/* A signal handler with SA_SIGINFO returns to: mov $173, %eax; int $0x80. The stack pointer is at
 * the handler's arguments there, before each of the two instructions. If handlers return to the
 * vdso instead, with or without SA_SIGINFO, its call frame information describes that. */
#define ARCH_SIGNAL_RETURN_BYTES   7
#define ARCH_SIGNAL_RETURN_SYSCALL 5 /* offset of the second one */

static inline bool arch_signal_return(const uint8_t code[ARCH_SIGNAL_RETURN_BYTES])
{
	static const uint8_t expected[ARCH_SIGNAL_RETURN_BYTES] = {
		0xb8, 0xad, 0, 0, 0, 0xcd, 0x80
	};

	for (unsigned i = 0; i < ARCH_SIGNAL_RETURN_BYTES; i++)
		if (code[i] != expected[i])
			return false;
	return true;
}

/* Returns the offset of an interrupted register from the stack pointer there: behind the number,
 * the two pointers, and the siginfo. */
static inline size_t arch_signal_register(unsigned number)
{
	return 3 * sizeof(uint32_t) + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.gregs) +
	       sizeof(greg_t) * arch_frame_greg[number];
}

/* push %ebp; mov %esp, %ebp: the words at ebp, and the stack pointer before the call. */
#define ARCH_FP_SAVED  0
#define ARCH_FP_RETURN 4
#define ARCH_FP_BYTES  8

/*
 * Entries of a procedure linkage table, which some linkers do not describe, and the thunks of the C
 * library's start-up files that return their own address:
 *
 *	[endbr32] jmp *GOT | jmp *GOT(%ebx)                    ff 25 .... | ff a3 ....
 *	push $n; jmp first                                     68 .... e9 ....
 *	first: push GOT+4 | GOT+4(%ebx)                        ff 35 .... | ff b3 ....
 *	       jmp *GOT+8 | *GOT+8(%ebx)                       ff 25 .... | ff a3 ....
 *	mov (%esp), %register; ret                             8b .. 24 c3
 *
 * code has ARCH_PLT_BEFORE bytes in front of the program counter and ARCH_PLT_AFTER behind it.
 * Returns the distance of the return address above the stack pointer; -1: not such an entry.
 */
#define ARCH_PLT_BEFORE 8
#define ARCH_PLT_AFTER  20

static inline const uint8_t *arch_plt_skip(const uint8_t *code)
{
	return code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfb ? code + 4
											: code;
}

static inline bool arch_plt_jumps(const uint8_t *code)
{
	return code[0] == 0xff && (code[1] == 0x25 || code[1] == 0xa3);
}

static inline bool arch_plt_pushes(const uint8_t *code)
{
	return code[0] == 0xff && (code[1] == 0x35 || code[1] == 0xb3);
}

static inline bool arch_thunk(const uint8_t *code)
{
	return code[0] == 0x8b && (code[1] & 0xc7) == 0x04 && code[2] == 0x24 && code[3] == 0xc3;
}

static inline int arch_plt_depth(const uint8_t *code)
{
	const uint8_t *at = arch_plt_skip(code);

	if (arch_thunk(code) || arch_thunk(code - 3))
		return 0;
	if (at[0] == 0x68)
		return at[5] == 0xe9 ? 0 : -1;
	if (at[0] == 0xe9)
		return code[-5] == 0x68 ? 4 : -1;
	if (arch_plt_pushes(at))
		return arch_plt_jumps(at + 6) ? 4 : -1;
	if (arch_plt_jumps(at))
		return arch_plt_pushes(code - 6) ? 8 : 0;
	return -1;
}

/* No trampoline is known that is copied to memory at run time. */
#define ARCH_TRAMPOLINE_BYTES 1

static inline int arch_trampoline_depth(const uint8_t *code, size_t before)
{
	(void)code;
	(void)before;
	return -1;
}

/* Code that functions of makecontext() return to, which nothing describes: lea (%esp, %ebx, 4),
 * %esp.
 */
#define ARCH_CONTEXT_RETURN_BYTES 3

static inline bool arch_context_return(const uint8_t code[ARCH_CONTEXT_RETURN_BYTES])
{
	return code[0] == 0x8d && code[1] == 0x24 && code[2] == 0x9c;
}

/* Finds the target of the call before a return address: call to, or call *GOT(%ebx). code is the
 * ARCH_CALL_BYTES bytes before it, and the registers are those of the caller, which keeps its ebx
 * across the call. Returns false for any other code. is_slot: `to` is where the address is
 * stored. */
#define ARCH_CALL_BYTES 6
#define ARCH_FRAME_GOT  3 /* ebx, in position-independent code */

static inline bool arch_call(const uint8_t *code, const uintptr_t caller[], uintptr_t *to,
			     bool *is_slot)
{
	*is_slot = code[0] == 0xff && code[1] == 0x93;
	*to = arch_relative(code + 2, caller[*is_slot ? ARCH_FRAME_GOT : ARCH_FRAME_PC]);
	return *is_slot || code[1] == 0xe8;
}

/* Finds the slot of the address that the PLT entry at `address` jumps to: jmp *GOT or jmp
 * *GOT(%ebx). code has ARCH_PLT_AFTER bytes. Returns false if this is not such an entry. */
static inline bool arch_plt_slot(const uint8_t *code, uintptr_t address, const uintptr_t caller[],
				 uintptr_t *slot)
{
	const uint8_t *at = arch_plt_skip(code);

	(void)address;
	*slot = arch_relative(at + 2, at[1] == 0xa3 ? caller[ARCH_FRAME_GOT] : 0);
	return arch_plt_jumps(at);
}

#endif
