/* SPDX-License-Identifier: MIT
 *
 * code.h - instructions of aarch64 by their bits: those that the flow of a program, operands
 * relative to the program counter, and signed return addresses are made of.
 */
#ifndef DWELL_ARCH_CODE_H
#define DWELL_ARCH_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define CODE_BYTES   4 /* of each instruction */
#define CODE_NOP     0xd503201fU
#define CODE_PACIASP 0xd503233fU
#define CODE_AUTIASP 0xd50323bfU

#define CODE_B   0x14000000U /* to an imm26 */
#define CODE_IP0 16          /* any call may change it */
#define CODE_IP1 17

static inline bool code_is_jump(uint32_t word)
{
	return word >> 26 == 0x05;
}

static inline bool code_is_call(uint32_t word)
{
	return word >> 26 == 0x25;
}

/* b.cond, cbz, cbnz: to an imm19. */
static inline bool code_is_branch_19(uint32_t word)
{
	return word >> 24 == 0x54 || (word & 0x7e000000) == 0x34000000;
}

/* tbz, tbnz: to an imm14. */
static inline bool code_is_branch_14(uint32_t word)
{
	return (word & 0x7e000000) == 0x36000000;
}

/* br, blr, ret and those that check a signature first. */
static inline bool code_is_indirect(uint32_t word)
{
	return word >> 25 == 0x6b;
}

static inline bool code_is_call_of_register(uint32_t word)
{
	return (word & 0xfffffc1f) == 0xd63f0000;
}

/* ret, but not by x30: the function has kept its return address in that register. */
static inline bool code_is_return_of_kept(uint32_t word)
{
	return (word & 0xfffffc1f) == 0xd65f0000 && (word >> 5 & 31) != 30;
}

/* blraa and its kin. */
static inline bool code_is_checked_call(uint32_t word)
{
	return code_is_indirect(word) && (word >> 21 & 7) == 1 && !code_is_call_of_register(word);
}

static inline bool code_is_adr(uint32_t word)
{
	return (word & 0x9f000000) == 0x10000000;
}

static inline bool code_is_adrp(uint32_t word)
{
	return (word & 0x9f000000) == 0x90000000;
}

/* Loads from an address relative to the program counter, and prfm. */
static inline bool code_is_literal(uint32_t word)
{
	return (word & 0x3b000000) == 0x18000000;
}

static inline bool code_is_svc(uint32_t word)
{
	return (word & 0xffe0001f) == 0xd4000001;
}

/* brk, hlt, and the undefined instructions that begin with 16 zeros. */
static inline bool code_is_trap(uint32_t word)
{
	return (word & 0xffe0001f) == 0xd4200000 || (word & 0xffe0001f) == 0xd4400000 ||
	       word >> 16 == 0;
}

/* bti, with or without a letter. */
static inline bool code_is_landing_pad(uint32_t word)
{
	return (word & 0xffffff3f) == 0xd503241f;
}

/* Hints that sign a return address or check its signature. */
static inline bool code_is_signature(uint32_t word)
{
	return (word & 0xffffff1f) == 0xd503231f;
}

/* Returns a signed number of so many bits, of which the lowest is at `at`. */
static inline int64_t code_number(uint32_t word, unsigned at, unsigned bits)
{
	return (int64_t)((uint64_t)word << (64 - at - bits)) >> (64 - bits);
}

/* Returns where a direct branch leads to. */
static inline uint64_t code_target(uint32_t word, uint64_t address)
{
	int64_t distance = code_is_branch_19(word)   ? code_number(word, 5, 19)
			   : code_is_branch_14(word) ? code_number(word, 5, 14)
						     : code_number(word, 0, 26);

	return address + 4 * (uint64_t)distance;
}

/* Returns the operand of adr, adrp or a load from a literal. */
static inline uint64_t code_operand(uint32_t word, uint64_t address)
{
	uint64_t distance = (uint64_t)code_number(word, 5, 19) * 4;

	if (code_is_literal(word))
		return address + distance;
	distance |= word >> 29 & 3;
	return code_is_adrp(word) ? (address & ~UINT64_C(4095)) + (distance << 12)
				  : address + distance;
}

#endif
