/* SPDX-License-Identifier: MIT
 *
 * wrapper.h - aarch64 facts of wrapped calls that C needs, and what its assembly has in common; the
 * rest is in wrapper.S and arena.S.
 */
#ifndef DWELL_ARCH_WRAPPER_H
#define DWELL_ARCH_WRAPPER_H

#define ARCH_STUB_CALL_BYTES 8 /* bti jc; blr x16 */

#ifdef __ASSEMBLER__

/* Where a branch may end: after a call or a jump by x16 or x17 (bti c); after any (bti jc). CPUs
 * without that take it for a nop. */
#define LANDING_PAD          hint 34
#define LANDING_PAD_OF_JUMPS hint 38

/* What a file says about itself, that its branches end at landing pads and that it can do with
 * signed return addresses: NT_GNU_PROPERTY_TYPE_0, GNU_PROPERTY_AARCH64_FEATURE_1_AND. Only if all
 * of its files say so, a library does. */
#define MARKS                                                                                      \
	.section ".note.gnu.property", "a";                                                        \
	.p2align 3;                                                                                \
	.word 4, 16, 5, 0x554e47, 0xc0000000, 4, 3, 0

#else

#include <stdint.h>

/* A call leaves the return address in x30. The wrapper's frame has it just below where sp was. */
#define ARCH_RETURN_ON_STACK   0
#define ARCH_ENTRY_ABOVE_FRAME 8

/* As a function stores it that was entered with that sp and signs its return address (paciasp). */
static inline uintptr_t arch_sign_return(uintptr_t address, uintptr_t sp)
{
	register uintptr_t x16 __asm__("x16") = sp;
	register uintptr_t x17 __asm__("x17") = address;

	__asm__("hint #8" : "+r"(x17) : "r"(x16)); /* pacia1716 */
	return x17;
}

/* DWARF numbers of the registers in which arch_landing expects its arguments. */
#define ARCH_LANDING_EXCEPTION 0 /* x0 */
#define ARCH_LANDING_SLOT      1 /* x1 */

#endif

#endif
