/* SPDX-License-Identifier: MIT
 *
 * frame.h - facts about riscv64 for the stack walker: registers by their DWARF numbers, the frame
 * that the kernel makes for a signal handler, frame pointers, and procedure linkage tables that
 * nothing describes. All of it is async-signal-safe.
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

#include "plt_riscv64.h"

/* DWARF numbers: x0-x31. x0 is always 0, and call frame information never names it, nor the program
 * counter: that has its number, as in the kernel's structures. The return address is in ra. */
#define ARCH_FRAME_REGISTERS 32
#define ARCH_FRAME_PC        0
#define ARCH_FRAME_LINK      1
#define ARCH_FRAME_SP        2
#define ARCH_FRAME_FP        8

/* Registers that a function preserves: s0-s11, and by default ra. A plain rule has room for some of
 * them only. */
#define ARCH_FRAME_KEPT        6
#define ARCH_FRAME_KEPT_MASK   (UINT64_C(2) | UINT64_C(3) << 8 | UINT64_C(0x3ff) << 18)
#define ARCH_FRAME_BEYOND_MASK (UINT64_C(0x3f) << 22)
static const uint8_t arch_frame_kept[ARCH_FRAME_KEPT] = { 8, 9, 18, 19, 20, 21 };

/* Registers that functions save only if they end in __builtin_eh_return(): a0-a3. */
#define ARCH_FRAME_LANDING_MASK (15U << 10)

static inline void arch_frame_registers(uintptr_t to[ARCH_FRAME_REGISTERS], const ucontext_t *uc)
{
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		to[i] = (uintptr_t)uc->uc_mcontext.__gregs[i];
}

/* Returns the address that a return leads to. */
static inline uintptr_t arch_return_address(uintptr_t stored)
{
	return stored;
}

/* Returns true if the call frame instruction only concerns how return addresses are stored: none
 * does. */
static inline bool arch_frame_signs(uint8_t code)
{
	(void)code;
	return false;
}

/* A signal handler returns to: li a7, 139; ecall. The stack pointer is at the siginfo there, before
 * each of the two instructions; the ucontext follows the siginfo. */
#define ARCH_SIGNAL_RETURN_BYTES   8
#define ARCH_SIGNAL_RETURN_SYSCALL 4 /* offset of the second one */

static inline bool arch_signal_return(const uint8_t code[ARCH_SIGNAL_RETURN_BYTES])
{
	return arch_word(code) == 0x08b00893 && arch_word(code + 4) == 0x00000073;
}

_Static_assert(REG_PC == ARCH_FRAME_PC && REG_RA == ARCH_FRAME_LINK && REG_SP == ARCH_FRAME_SP,
	       "the kernel stores registers by their numbers");

/* Returns the offset of an interrupted register from the stack pointer there. */
static inline size_t arch_signal_register(unsigned number)
{
	return sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.__gregs) +
	       sizeof(uint64_t) * number;
}

/* sd ra, ...; sd s0, ...; addi s0, sp, ...: s0 is the stack pointer before the call, and the words
 * are below it. */
#define ARCH_FP_SAVED  (-16)
#define ARCH_FP_RETURN (-8)
#define ARCH_FP_BYTES  0

/* The first entry of a procedure linkage table: auipc t2; sub t1, t1, t3; ld t3, (t2); addi t1, t1;
 * addi t0, t2; srli t1, t1, 1; ld t0, 8(t0); jr t3. No linker describes it, nor the others. */
static inline bool arch_plt_begins(const uint8_t *code)
{
	return (arch_word(code) & 0xfff) == 0x397 && arch_word(code + 4) == 0x41c30333 &&
	       (arch_word(code + 8) & 0xfffff) == 0x3be03 &&
	       (arch_word(code + 12) & 0xfffff) == 0x30313 &&
	       (arch_word(code + 16) & 0xfffff) == 0x38293 && arch_word(code + 20) == 0x00135313 &&
	       arch_word(code + 24) == 0x0082b283 && arch_word(code + 28) == 0x000e0067;
}

/*
 * code has ARCH_PLT_BEFORE bytes in front of the program counter and ARCH_PLT_AFTER behind it.
 * Returns ARCH_PLT_LINK: the return address is in ra; -1: not such an entry.
 */
#define ARCH_PLT_BEFORE 28
#define ARCH_PLT_AFTER  32
#define ARCH_PLT_LINK   (-8)

static inline int arch_plt_depth(const uint8_t *code)
{
	uint64_t slot;

	for (const uint8_t *at = code; at >= code - 8; at -= 4)
		if (arch_plt_jumps(at, 0, &slot))
			return ARCH_PLT_LINK;
	for (const uint8_t *at = code; at >= code - ARCH_PLT_BEFORE; at -= 4)
		if (arch_plt_begins(at))
			return ARCH_PLT_LINK;
	return -1;
}

/* Returns the target of the direct call at an address, of which so many bytes are in `code`; 0: it
 * is none. Instructions begin at multiples of ARCH_CODE_ALIGNMENT. */
#define ARCH_CALL_HERE_BYTES 8
#define ARCH_CODE_ALIGNMENT  2

static inline uintptr_t arch_call_here(const uint8_t *code, uintptr_t address)
{
	uint32_t first = arch_word(code), last = arch_word(code + 4);
	uint32_t offset = (first >> 20 & 0x7fe) | (first >> 9 & 0x800) | (first & 0xff000) |
			  (first >> 31 ? 0xfff00000 : 0);

	if ((first & 0xfff) == 0x097 && (last & 0xfffff) == 0x080e7)
		return address + (uintptr_t)(intptr_t)(int32_t)(first & 0xfffff000) +
		       (uintptr_t)(intptr_t)((int32_t)last >> 20);
	return (first & 0xfff) == 0x0ef ? address + (uintptr_t)(intptr_t)(int32_t)offset : 0;
}

/* Finds the target of the call before a return address: jal to, or auipc ra; jalr ra. The target of
 * a call through another register is lost by then. code is the ARCH_CALL_BYTES bytes before it.
 * Returns false for any other code. is_slot: `to` is where the address is stored. */
#define ARCH_CALL_BYTES 8

static inline bool arch_call(const uint8_t *code, const uintptr_t caller[], uintptr_t *to,
			     bool *is_slot)
{
	const uint8_t jal[ARCH_CALL_HERE_BYTES] = { code[4], code[5], code[6], code[7] };
	uintptr_t pc = caller[ARCH_FRAME_PC];

	*is_slot = false;
	*to = arch_word(code + 4) << 12 == 0x080e7000 ? arch_call_here(code, pc - 8)
						      : arch_call_here(jal, pc - 4);
	return *to;
}

/* Finds the slot of the address that the PLT entry at `address` jumps to. code has ARCH_PLT_AFTER
 * bytes. Returns false if this is not such an entry. */
static inline bool arch_plt_slot(const uint8_t *code, uintptr_t address, const uintptr_t caller[],
				 uintptr_t *slot)
{
	(void)caller;
	return arch_plt_jumps(code, address, slot);
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
