/* SPDX-License-Identifier: MIT
 *
 * oddities.h - exceptions for tests of the walker.
 */
#ifndef TESTS_ARCH_ODDITIES_H
#define TESTS_ARCH_ODDITIES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../padding.h"

#define ODDITIES_SKIP __attribute__((no_instrument_function))

/* Returns true in a function that the compiler has added to the program's own, by which
 * position-independent code finds its address: mov (%esp), %register; ret. The pc may be at either
 * of the two. */
ODDITIES_SKIP static inline bool is_thunk(uintptr_t pc)
{
	const uint8_t *code = (const uint8_t *)pc;

	if (code[0] == 0xc3)
		code -= 3;
	return code[0] == 0x8b && (code[1] & 0xc7) == 0x04 && code[2] == 0x24 && code[3] == 0xc3;
}

/* Returns true in the version for CPUs with SSSE3, of 8 KB, which from its middle on describes one
 * register too many as popped. libgcc uses it. */
ODDITIES_SKIP static inline bool is_in_memcpy(uintptr_t pc)
{
	return pc - (uintptr_t)memcpy < 8192;
}

/* Returns true where glibc 2.36 does not describe that its memcpy() has pushed a register, so that
 * libgcc takes that for the return address, and faults: push %eax; mov %ecx, %eax; shr $2, %ecx;
 * and $3, %eax; rep movsl; mov %eax, %ecx; rep movsb; pop %eax. */
ODDITIES_SKIP static inline bool is_described_wrongly(uintptr_t pc)
{
	static const uint8_t pushes[] = { 0x50, 0x89, 0xc8, 0xc1, 0xe9, 0x02, 0x83, 0xe0,
					  0x03, 0xf3, 0xa5, 0x89, 0xc1, 0xf3, 0xa4, 0x58 };

	for (uintptr_t back = 1; back < sizeof(pushes); back++)
		if (memcmp((const void *)(pc - back), pushes, sizeof(pushes)) == 0)
			return true;
	return is_in_memcpy(pc) || is_padding(pc);
}

/* Functions of the kernel's vdso have only frame pointers, so that their return address is unknown
 * while these are set up: this many instructions in a few calls. */
#define VDSO_UNDESCRIBED 30

#endif
