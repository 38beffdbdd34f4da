/* SPDX-License-Identifier: MIT
 *
 * plt_stub.h - the stubs of x86-64 through which functions of other objects are called.
 */
#ifndef DWELL_ARCH_PLT_STUB_H
#define DWELL_ARCH_PLT_STUB_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARCH_PLT_MACHINE EM_X86_64

/* Stubs begin at a multiple of this. */
#define ARCH_PLT_STEP 8

/*
 * Where the address is kept that the stub at `address` jumps to. False: this is no stub, or the
 *first of .plt, which calls the linker.
 *
 *	[f3 0f 1e fa]		endbr64
 *	[f2] ff 25 disp32	[bnd] jmp *disp32(%rip)
 */
static inline bool arch_plt_slot(const uint8_t *code, size_t size, uint64_t address, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;
	int32_t displacement;

	if (size >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	if (at < size && code[at] == 0xf2)
		at++;
	if (size < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&displacement, code + at + 2, sizeof(displacement));
	*slot = address + at + 6 + (uint64_t)(int64_t)displacement;
	return true;
}

#endif
