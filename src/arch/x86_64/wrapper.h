/* SPDX-License-Identifier: MIT
 *
 * wrapper.h - x86-64 facts about wrapped calls for C; the rest is in wrapper.S and arena.S.
 */
#ifndef DWELL_ARCH_WRAPPER_H
#define DWELL_ARCH_WRAPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_STUB_CALL_BYTES 3 /* call *%r11 */

/* A call pushes the return address, and functions leave it there unchanged. */
#define ARCH_RETURN_ON_STACK   1
#define ARCH_ENTRY_ABOVE_FRAME 0

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
#define ARCH_LANDING_EXCEPTION 0 /* rax */
#define ARCH_LANDING_SLOT      1 /* rdx */

#endif
