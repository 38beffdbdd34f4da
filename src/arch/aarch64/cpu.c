/* SPDX-License-Identifier: MIT */
#include "cpu.h"

#include <elf.h>
#include <string.h>

/* Reads the target from the last operand. */
static bool jump_target(const cs_insn *instruction, uint64_t *target)
{
	const cs_arm64 *detail = &instruction->detail->arm64;
	const cs_arm64_op *last = detail->operands + detail->op_count - 1;

	if (!detail->op_count || last->type != ARM64_OP_IMM)
		return false;
	*target = (uint64_t)last->imm;
	return true;
}

/*
 *	[bti c]
 *	adrp x16, page of the slot
 *	ldr  x17, [x16, slot in its page]
 *	add  x16, x16, slot in its page
 *	br   x17
 */
static bool stub_slot(const struct arch_stub *stub, uint64_t *slot)
{
	const uint32_t bti = 0xd503245f;
	uint32_t words[5] = { 0 }, *word = words;
	uint64_t pages, here = stub->address;

	memcpy(words, stub->code, stub->size < sizeof(words) ? stub->size : sizeof(words));
	if (*word == bti) {
		word++;
		here += sizeof(*word);
	}
	if ((word[0] & 0x9f00001f) != 0x90000010 || (word[1] & 0xffc003ff) != 0xf9400211 ||
	    (word[2] & 0xffc003ff) != 0x91000210 || word[3] != 0xd61f0220)
		return false;
	pages = (uint64_t)(word[0] >> 29 & 3) | (uint64_t)(word[0] >> 5 & 0x7ffff) << 2;
	if (pages >> 20)
		pages |= ~UINT64_C(0) << 21;
	*slot = (here & ~UINT64_C(4095)) + (pages << 12) + (uint64_t)(word[1] >> 10 & 0xfff) * 8;
	return true;
}

const struct arch_cpu arch_cpu_aarch64 = {
	.machine = EM_AARCH64,
	.elf_class = ELFCLASS64,
	.arch = CS_ARCH_ARM64,
	.mode = CS_MODE_ARM,
	.jump_target = jump_target,
	.stub_step = 8,
	.stub_slot = stub_slot,
};
