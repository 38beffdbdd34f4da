/* SPDX-License-Identifier: MIT */
#include "x86/cpu.h"

#include <elf.h>

static bool jump_target(const cs_insn *instruction, uint64_t *target)
{
	bool is_known = x86_jump_target(instruction, target);

	if (is_known)
		*target = (uint32_t)*target;
	return is_known;
}

/*
 *	[f3 0f 1e fb]		endbr32
 *	ff 25 abs32		jmp *abs32, in programs at a fixed address
 *	ff a3 disp32		jmp *disp32(%ebx), in all others: ebx is where the GOT is
 */
static bool stub_slot(const struct arch_stub *stub, uint64_t *slot)
{
	const uint8_t *code = stub->code;
	size_t at = x86_landing_pad(stub, 0xfb);
	uint32_t number;

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
