/* SPDX-License-Identifier: MIT
 *
 * entry.c - moves the first instruction of a function.
 *
 *	function:  bti c              stays, and so does paciasp
 *	           b gate             instead of the instruction below; see gate.c
 *	copy:      stp x29, x30 ...   that one, adapted to its new place
 *	           b function + n
 *
 * paciasp signs the return address in x30, and is also a landing pad: an indirect call must find it
 * or bti c, where the kernel has marked the page so. It stays, the gate undoes the signature, and
 *the copy begins with paciasp again.
 *
 * An operand relative to the program counter is made by adrp and add, whose reach is 4 GB. A branch
 * with a condition jumps over a jump. A call is not moved: as the first instruction, it would
 * overwrite the function's own return address, and compilers make none there.
 *
 * x16 and x17 are free at an entry: a linker may put code between any call and its target that
 * changes them, and compilers expect that even of functions whose code they see.
 *
 * Calls nothing of libc.
 */
#include "entry.h"

#include <stddef.h>

#include "code.h"
#include "frame.h"

/* How far behind an adrp its add may be. */
#define PAIR_INSTRUCTIONS 16

static enum arch_flow flow_of(uint32_t word)
{
	if (word == CODE_NOP || word == 0)
		return ARCH_FLOW_PADDING;
	if (code_is_jump(word))
		return ARCH_FLOW_JUMP;
	if (code_is_call(word))
		return ARCH_FLOW_CALL;
	if (code_is_branch_19(word) || code_is_branch_14(word))
		return ARCH_FLOW_BRANCH;
	if (code_is_call_of_register(word))
		return ARCH_FLOW_CALL_TO;
	if (code_is_checked_call(word))
		return ARCH_FLOW_BAD;
	return code_is_indirect(word) || code_is_trap(word) ? ARCH_FLOW_END : ARCH_FLOW_NEXT;
}

/* Finds the add that makes an address from the page of an adrp. Returns the address, or 0. */
static uint64_t find_pair(const uint8_t *bytes, uint32_t adrp, uint64_t page)
{
	uint32_t number = adrp & 31;

	for (unsigned i = 1; i < PAIR_INSTRUCTIONS; i++) {
		uint32_t word = arch_word(bytes + CODE_BYTES * (size_t)i);

		if ((word & 0xffc00000) == 0x91000000 && (word >> 5 & 31) == number)
			return page + (word >> 10 & 0xfff);
		if ((code_is_adrp(word) && (word & 31) == number) || flow_of(word) == ARCH_FLOW_END)
			return 0;
	}
	return 0;
}

void arch_decode(const uint8_t *bytes, uint64_t address, struct arch_instruction *instruction)
{
	uint32_t word = arch_word(bytes);
	uint64_t pair;

	*instruction = (struct arch_instruction){ .length = CODE_BYTES, .flow = flow_of(word) };
	instruction->is_system_call = code_is_svc(word);
	instruction->returns_kept = code_is_return_of_kept(word);
	instruction->has_target = instruction->flow == ARCH_FLOW_JUMP ||
				  instruction->flow == ARCH_FLOW_CALL ||
				  instruction->flow == ARCH_FLOW_BRANCH;
	if (instruction->has_target)
		instruction->target = code_target(word, address);
	instruction->is_relative = code_is_adr(word) || code_is_adrp(word) || code_is_literal(word);
	if (!instruction->is_relative)
		return;
	instruction->operand = code_operand(word, address);
	instruction->makes_address = code_is_adr(word);
	pair = code_is_adrp(word) ? find_pair(bytes, word, instruction->operand) : 0;
	if (pair) {
		instruction->operand = pair;
		instruction->makes_address = true;
	}
}

unsigned arch_entry_skip(const uint8_t *bytes)
{
	return code_is_landing_pad(arch_word(bytes)) || arch_entry_signs(bytes) ? CODE_BYTES : 0;
}

bool arch_entry_signs(const uint8_t *bytes)
{
	return arch_word(bytes) == CODE_PACIASP;
}

/* Returns whether a load from a literal can be made by its own register. */
static bool can_load(uint32_t word)
{
	bool is_vector = word >> 26 & 1, is_prefetch = word >> 30 == 3;

	return !is_vector && !is_prefetch && (word & 31) != 31;
}

bool arch_entry_can_move(const struct arch_instruction *one, const uint8_t *bytes)
{
	uint32_t word = arch_word(bytes);

	if (one->flow == ARCH_FLOW_BAD || code_is_trap(word) ||
	    (code_is_signature(word) && word != CODE_PACIASP))
		return false;
	if (one->flow == ARCH_FLOW_CALL || one->flow == ARCH_FLOW_CALL_TO)
		return false;
	return !code_is_literal(word) || can_load(word);
}

static void put(struct arch_code *code, uint32_t word)
{
	for (unsigned i = 0; i < CODE_BYTES; i++)
		code->bytes[code->used++] = (uint8_t)(word >> 8 * i);
}

void arch_entry_put_jump(struct arch_code *code, uint64_t to)
{
	int64_t distance = (int64_t)(to - (code->address + code->used));

	if (distance < -ARCH_ENTRY_REACH || distance >= ARCH_ENTRY_REACH || distance % CODE_BYTES)
		code->is_far = true;
	put(code, CODE_B | ((uint32_t)(distance / CODE_BYTES) & 0x3ffffff));
}

/* Puts adrp. */
static void put_page(struct arch_code *code, uint32_t number, uint64_t address)
{
	int64_t pages = (int64_t)(address >> 12) - (int64_t)((code->address + code->used) >> 12);
	uint32_t bits = (uint32_t)pages;

	if (pages < -(1 << 20) || pages >= 1 << 20)
		code->is_far = true;
	put(code, 0x90000000U | (bits & 3) << 29 | (bits >> 2 & 0x7ffff) << 5 | number);
}

/* Puts adrp and add. */
static void put_address(struct arch_code *code, uint32_t number, uint64_t address)
{
	put_page(code, number, address);
	put(code, 0x91000000U | (uint32_t)(address & 4095) << 10 | number << 5 | number);
}

/* Puts ldr or ldrsw, of the word at an address. */
static void put_load(struct arch_code *code, uint32_t word, uint64_t address)
{
	static const uint32_t loads[] = { 0xb9400000U, 0xf9400000U, 0xb9800000U };
	uint32_t number = word & 31;

	put_address(code, number, address);
	put(code, loads[word >> 30] | number << 5 | number);
}

/* Puts the branch with another distance, which leads over a jump to the next instruction. */
static void put_branch(struct arch_code *code, uint32_t word, uint64_t target)
{
	uint32_t mask = code_is_branch_19(word) ? 0x7ffff : 0x3fff;

	put(code, (word & ~(mask << 5)) | 2 << 5);
	put(code, CODE_B | 2);
	arch_entry_put_jump(code, target);
}

static void put_relative(struct arch_code *code, uint32_t word, uint64_t address)
{
	uint64_t operand = code_operand(word, address);

	if (code_is_adrp(word))
		put_page(code, word & 31, operand);
	else if (code_is_adr(word))
		put_address(code, word & 31, operand);
	else
		put_load(code, word, operand);
}

void arch_entry_put(struct arch_code *code, struct arch_entry *entry, const uint8_t *bytes,
		    uint64_t address)
{
	uint32_t word = arch_word(bytes);
	struct arch_instruction one;

	arch_decode(bytes, address, &one);
	if (one.flow == ARCH_FLOW_JUMP)
		arch_entry_put_jump(code, one.target);
	else if (one.flow == ARCH_FLOW_BRANCH)
		put_branch(code, word, one.target);
	else if (one.is_relative)
		put_relative(code, word, address);
	else
		put(code, word);
	if (word == CODE_PACIASP)
		entry->signed_at = (uint8_t)code->used;
}

void arch_entry_fixed_jump(uint8_t bytes[ARCH_ENTRY_FIXED], uint64_t word)
{
	struct arch_code code = { .bytes = bytes };

	put(&code, 0xd2800000U | (uint32_t)(word & 0xffff) << 5 | CODE_IP0);       /* movz */
	put(&code, 0xf2a00000U | (uint32_t)(word >> 16 & 0xffff) << 5 | CODE_IP0); /* movk */
	put(&code, 0xf2c00000U | (uint32_t)(word >> 32 & 0xffff) << 5 | CODE_IP0);
	put(&code, 0xd61f0000U | CODE_IP0 << 5); /* br */
}
