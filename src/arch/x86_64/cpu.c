/* SPDX-License-Identifier: MIT */
#include "cpu.h"

#include <elf.h>
#include <string.h>

static bool jump_target(const cs_insn *instruction, uint64_t *target)
{
	const cs_x86 *detail = &instruction->detail->x86;

	if (detail->op_count != 1 || detail->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64_t)detail->operands[0].imm;
	return true;
}

/*
 *	[f3 0f 1e fa]		endbr64
 *	[f2] ff 25 disp32	[bnd] jmp *disp32(%rip)
 */
static bool stub_slot(const struct arch_stub *stub, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *code = stub->code;
	size_t at = 0;
	int32_t displacement;

	if (stub->size >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	if (at < stub->size && code[at] == 0xf2)
		at++;
	if (stub->size < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&displacement, code + at + 2, sizeof(displacement));
	*slot = stub->address + at + 6 + (uint64_t)(int64_t)displacement;
	return true;
}

const struct arch_cpu arch_cpu_x86_64 = {
	.machine = EM_X86_64,
	.elf_class = ELFCLASS64,
	.arch = CS_ARCH_X86,
	.mode = CS_MODE_64,
	.jump_target = jump_target,
	.stub_step = 8,
	.stub_slot = stub_slot,
};
