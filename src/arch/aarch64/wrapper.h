/* SPDX-License-Identifier: MIT
 *
 * wrapper.h - aarch64 facts about wrapped calls for C, and what the assembly files share; the rest
 * is in wrapper.S and arena.S.
 */
#ifndef DWELL_ARCH_WRAPPER_H
#define DWELL_ARCH_WRAPPER_H

#define ARCH_STUB_CALL_BYTES 8 /* bti jc; blr x16 */

#ifdef __ASSEMBLER__

/* Valid targets of branches: of a call or a jump by x16 or x17 (bti c); of any (bti jc). A nop on
 * CPUs without that. */
#define LANDING_PAD          hint 34
#define LANDING_PAD_OF_JUMPS hint 38

/* Marks a file: its branches end at landing pads and it supports signed return addresses
 * (NT_GNU_PROPERTY_TYPE_0, GNU_PROPERTY_AARCH64_FEATURE_1_AND). A library has the mark only if all
 * of its files have it. */
#define MARKS                                                                                      \
	.section ".note.gnu.property", "a";                                                        \
	.p2align 3;                                                                                \
	.word 4, 16, 5, 0x554e47, 0xc0000000, 4, 3, 0

#else

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call leaves the return address in x30. The wrapper's frame stores it just below the previous
 * sp. */
#define ARCH_RETURN_ON_STACK   0
#define ARCH_ENTRY_ABOVE_FRAME 8

/* Returns the address as stored by a function that was entered with that sp and signs its return
 * address (paciasp). */
static inline uintptr_t arch_sign_return(uintptr_t address, uintptr_t sp)
{
	register uintptr_t x16 __asm__("x16") = sp;
	register uintptr_t x17 __asm__("x17") = address;

	__asm__("hint #8" : "+r"(x17) : "r"(x16)); /* pacia1716 */
	return x17;
}

/* Returns whether code signs a return address so. */
static inline bool arch_code_signs(const void *code, size_t bytes)
{
	const uint32_t *instructions = code;

	for (size_t i = 0; i < bytes / sizeof(*instructions); i++)
		if (instructions[i] == 0xd503233f) /* paciasp */
			return true;
	return false;
}

/* DWARF numbers of the registers in which arch_landing expects its arguments. */
#define ARCH_LANDING_EXCEPTION 0 /* x0 */
#define ARCH_LANDING_SLOT      1 /* x1 */

#endif

#endif
