/* SPDX-License-Identifier: MIT */
#include "x86/cpu.h"

#include <elf.h>

/*
 *	[f3 0f 1e fa]		endbr64
 *	[f2] ff 25 disp32	[bnd] jmp *disp32(%rip)
 */
static bool stub_slot(const struct arch_stub *stub, uint64_t *slot)
{
	const uint8_t *code = stub->code;
	size_t at = x86_landing_pad(stub, 0xfa);
	int32_t displacement;

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
	.jump_target = x86_jump_target,
	.stub_step = 8,
	.stub_slot = stub_slot,
};
