/* SPDX-License-Identifier: MIT */
#include "cpu.h"

#include <elf.h>
#include <string.h>

static bool jump_target(const cs_insn *instruction, uint64_t *target)
{
	const cs_x86 *detail = &instruction->detail->x86;

	if (detail->op_count != 1 || detail->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint32_t)detail->operands[0].imm;
	return true;
}

/*
 *	[f3 0f 1e fb]		endbr32
 *	ff 25 abs32		jmp *abs32, in programs at a fixed address
 *	ff a3 disp32		jmp *disp32(%ebx), in all others: ebx is where the GOT is
 */
static bool stub_slot(const struct arch_stub *stub, uint64_t *slot)
{
	static const uint8_t endbr32[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	const uint8_t *code = stub->code;
	size_t at = 0;
	uint32_t number;

	if (stub->size >= sizeof(endbr32) && memcmp(code, endbr32, sizeof(endbr32)) == 0)
		at += sizeof(endbr32);
	if (stub->size < at + 6 || code[at] != 0xff ||
	    (code[at + 1] != 0x25 && (code[at + 1] != 0xa3 || !stub->got)))
		return false;
	memcpy(&number, code + at + 2, sizeof(number));
	*slot = code[at + 1] == 0x25 ? number : (uint32_t)(stub->got + number);
	return true;
}

const struct arch_cpu arch_cpu_i386 = {
	.machine = EM_386,
	.elf_class = ELFCLASS32,
	.arch = CS_ARCH_X86,
	.mode = CS_MODE_32,
	.jump_target = jump_target,
	.stub_step = 8,
	.stub_slot = stub_slot,
};
