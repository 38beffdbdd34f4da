/* SPDX-License-Identifier: MIT
 *
 * frame.h - the part of frame.h that i386 and x86-64 have in common; each has defined its
 * registers before. Async-signal-safe.
 */
#ifndef DWELL_ARCH_X86_FRAME_H
#define DWELL_ARCH_X86_FRAME_H

static inline void arch_frame_registers(uintptr_t to[ARCH_FRAME_REGISTERS], const ucontext_t *uc)
{
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		to[i] = (uintptr_t)uc->uc_mcontext.gregs[arch_frame_greg[i]];
}

/* Return addresses are stored unchanged, so no call frame instruction concerns their form. */
#define ARCH_FRAME_LINK ARCH_FRAME_PC

static inline uintptr_t arch_return_address(uintptr_t stored)
{
	return stored;
}

static inline bool arch_frame_signs(uint8_t code)
{
	(void)code;
	return false;
}

/* Returns the address that a displacement in code means, counted from another. */
static inline uintptr_t arch_relative(const uint8_t bytes[4], uintptr_t from)
{
	uint32_t offset = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			  (uint32_t)bytes[3] << 24;

	return from + (uintptr_t)(intptr_t)(int32_t)offset;
}

/* Returns the target of the direct call at an address, of which so many bytes are in `code`; 0: it
 * is none. Instructions begin at multiples of ARCH_CODE_ALIGNMENT. */
#define ARCH_CALL_HERE_BYTES 5
#define ARCH_CODE_ALIGNMENT  1

static inline uintptr_t arch_call_here(const uint8_t *code, uintptr_t address)
{
	return code[0] == 0xe8 ? arch_relative(code + 1, address + ARCH_CALL_HERE_BYTES) : 0;
}

#endif
