/* SPDX-License-Identifier: MIT
 *
 * wrapper.h - riscv64 facts about wrapped calls for C; the rest is in wrapper.S and arena.S.
 */
#ifndef DWELL_ARCH_WRAPPER_H
#define DWELL_ARCH_WRAPPER_H

#define ARCH_STUB_CALL_BYTES 4 /* jalr t3 */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call leaves the return address in ra. The wrapper's frame stores it just below the previous
 * sp. */
#define ARCH_RETURN_ON_STACK   0
#define ARCH_ENTRY_ABOVE_FRAME 8

/* Returns the address as a function stores it that was entered with that sp: no function signs it.
 */
static inline uintptr_t arch_sign_return(uintptr_t address, uintptr_t sp)
{
	(void)sp;
	return address;
}

static inline bool arch_code_signs(const void *code, size_t bytes)
{
	(void)code, (void)bytes;
	return false;
}

/* DWARF numbers of the registers in which arch_landing expects its arguments. */
#define ARCH_LANDING_EXCEPTION 10 /* a0 */
#define ARCH_LANDING_SLOT      11 /* a1 */

#endif

#endif
