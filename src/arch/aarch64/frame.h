/* SPDX-License-Identifier: MIT
 *
 * frame.h - facts about aarch64 for the stack walker: registers by their DWARF numbers, signed
 * return addresses, the frame that the kernel makes for a signal handler, frame pointers, and
 * procedure linkage tables that nothing describes. All of it is async-signal-safe.
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

/* Returns an instruction. */
static inline uint32_t arch_word(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/* DWARF numbers: x0-x30, sp, and the program counter, which call frame information never names: the
 * return address is in x30. */
#define ARCH_FRAME_REGISTERS 33
#define ARCH_FRAME_FP        29
#define ARCH_FRAME_LINK      30
#define ARCH_FRAME_SP        31
#define ARCH_FRAME_PC        32

/* Registers that a function preserves: x19-x29, and by default x30. A plain rule has room for some
 * of them only. */
#define ARCH_FRAME_KEPT        6
#define ARCH_FRAME_KEPT_MASK   (UINT64_C(0xfff) << 19)
#define ARCH_FRAME_BEYOND_MASK (UINT64_C(0x1f) << 24)
static const uint8_t arch_frame_kept[ARCH_FRAME_KEPT] = { 29, 19, 20, 21, 22, 23 };

/* Registers that functions save only if they end in __builtin_eh_return(): x0-x3. */
#define ARCH_FRAME_LANDING_MASK 15U

static inline void arch_frame_registers(uintptr_t to[ARCH_FRAME_REGISTERS], const ucontext_t *uc)
{
	for (unsigned i = 0; i <= ARCH_FRAME_LINK; i++)
		to[i] = (uintptr_t)uc->uc_mcontext.regs[i];
	to[ARCH_FRAME_SP] = (uintptr_t)uc->uc_mcontext.sp;
	to[ARCH_FRAME_PC] = (uintptr_t)uc->uc_mcontext.pc;
}

/* Returns the address that a return leads to. Functions may have signed it in its upper bits
 * (xpaclri; a nop on CPUs that sign nothing). */
static inline uintptr_t arch_return_address(uintptr_t stored)
{
	register uintptr_t x30 __asm__("x30") = stored;

	__asm__("hint #7" : "+r"(x30));
	return x30;
}

/* Returns true if the call frame instruction only changes how return addresses are signed from here
 * on: negate_ra_state, negate_ra_state_with_pc. On other CPUs the numbers have other meanings.
 */
static inline bool arch_frame_signs(uint8_t code)
{
	return code == 0x2d || code == 0x2c;
}

/* A signal handler returns to: mov x8, #139; svc #0. The stack pointer is at the siginfo there,
 * before each of the two instructions; the ucontext follows the siginfo. */
#define ARCH_SIGNAL_RETURN_BYTES   8
#define ARCH_SIGNAL_RETURN_SYSCALL 4 /* offset of the second one */

static inline bool arch_signal_return(const uint8_t code[ARCH_SIGNAL_RETURN_BYTES])
{
	return arch_word(code) == 0xd2801168 && arch_word(code + 4) == 0xd4000001;
}

/* They are in the order of their DWARF numbers. */
#define ARCH_SIGNAL_REGISTERS offsetof(ucontext_t, uc_mcontext.regs)
_Static_assert(offsetof(ucontext_t, uc_mcontext.sp) == ARCH_SIGNAL_REGISTERS + 8 * ARCH_FRAME_SP &&
		       offsetof(ucontext_t, uc_mcontext.pc) ==
			       ARCH_SIGNAL_REGISTERS + 8 * ARCH_FRAME_PC,
	       "sp and pc come behind x30");

/* Returns the offset of an interrupted register from the stack pointer there. */
static inline size_t arch_signal_register(unsigned number)
{
	return sizeof(siginfo_t) + ARCH_SIGNAL_REGISTERS + sizeof(uint64_t) * number;
}

/* stp x29, x30, [sp, ...]; mov x29, sp: the words at x29. The size of the frame above them is
 * unknown: the stack pointer before the call is that or higher. */
#define ARCH_FP_SAVED  0
#define ARCH_FP_RETURN 8
#define ARCH_FP_BYTES  16

/*
 * Entries of a procedure linkage table, which no linker describes:
 *
 *	[bti c]
 *	adrp x16, page of the slot
 *	ldr  x17, [x16, slot in its page]
 *	add  x16, x16, slot in its page
 *	br   x17
 *
 * The first one has stp x16, x30, [sp, #-16]! in front of that.
 */
#define ARCH_PLT_BTI 0xd503245fU

/* Returns true for all of that but the first entry, at `address`, and the slot that it jumps
 * through. */
static inline bool arch_plt_jumps(const uint8_t *code, uintptr_t address, uintptr_t *slot)
{
	uint32_t adrp = arch_word(code), ldr = arch_word(code + 4);
	uint32_t add = arch_word(code + 8), br = arch_word(code + 12);
	uintptr_t pages = (uintptr_t)(adrp >> 29 & 3) | (uintptr_t)(adrp >> 5 & 0x7ffff) << 2;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211 ||
	    (add & 0xffc003ff) != 0x91000210 || br != 0xd61f0220)
		return false;
	if (pages >> 20)
		pages |= ~(uintptr_t)0 << 21;
	*slot = (address & ~(uintptr_t)4095) + (pages << 12) + (uintptr_t)(ldr >> 10 & 0xfff) * 8;
	return true;
}

/*
 * code has ARCH_PLT_BEFORE bytes in front of the program counter and ARCH_PLT_AFTER behind it.
 * Returns the distance of the return address above the stack pointer; ARCH_PLT_LINK: it is in x30;
 * -1: not such an entry.
 */
#define ARCH_PLT_BEFORE 16
#define ARCH_PLT_AFTER  24
#define ARCH_PLT_LINK   (-8)

static inline int arch_plt_depth(const uint8_t *code)
{
	const uint32_t stp = 0xa9bf7bf0;
	uintptr_t slot;

	for (const uint8_t *at = code; at >= code - 12; at -= 4)
		if (arch_plt_jumps(at, 0, &slot))
			return arch_word(at - 4) == stp ? 8 : ARCH_PLT_LINK;
	if (arch_word(code) == ARCH_PLT_BTI)
		code += 4;
	if (arch_word(code) == stp)
		code += 4;
	return arch_plt_jumps(code, 0, &slot) ? ARCH_PLT_LINK : -1;
}

/* Returns the target of the direct call at an address, of which so many bytes are in `code`; 0: it
 * is none. Instructions begin at multiples of ARCH_CODE_ALIGNMENT. */
#define ARCH_CALL_HERE_BYTES 4
#define ARCH_CODE_ALIGNMENT  4

static inline uintptr_t arch_call_here(const uint8_t *code, uintptr_t address)
{
	uint32_t bl = arch_word(code), words = bl & 0x3ffffff;

	if (words >> 25)
		words |= 0xfc000000;
	return bl >> 26 == 0x25 ? address + 4 * (uintptr_t)(intptr_t)(int32_t)words : 0;
}

/* Finds the target of the call before a return address: bl to. The target of a call through a
 * register is lost by then. code is the ARCH_CALL_BYTES bytes before it. Returns false for any
 * other code. is_slot: `to` is where the address is stored. */
#define ARCH_CALL_BYTES 4

static inline bool arch_call(const uint8_t *code, const uintptr_t caller[], uintptr_t *to,
			     bool *is_slot)
{
	*to = arch_call_here(code, caller[ARCH_FRAME_PC] - ARCH_CALL_BYTES);
	*is_slot = false;
	return *to;
}

/* Finds the slot of the address that the PLT entry at `address` jumps to. code has ARCH_PLT_AFTER
 * bytes. Returns false if this is not such an entry. */
static inline bool arch_plt_slot(const uint8_t *code, uintptr_t address, const uintptr_t caller[],
				 uintptr_t *slot)
{
	unsigned at = arch_word(code) == ARCH_PLT_BTI ? 4 : 0;

	(void)caller;
	return arch_plt_jumps(code + at, address + at, slot);
}

/* No trampoline is known that is copied to memory at run time. */
#define ARCH_TRAMPOLINE_BYTES 1

static inline int arch_trampoline_depth(const uint8_t *code, size_t before)
{
	(void)code;
	(void)before;
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

#endif
