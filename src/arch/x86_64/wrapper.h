/* SPDX-License-Identifier: MIT
 *
 * wrapper.h - x86-64 facts about wrapped calls for C; the rest is in wrapper.S and arena.S.
 */
#ifndef DWELL_ARCH_WRAPPER_H
#define DWELL_ARCH_WRAPPER_H

#include <stdint.h>

#define ARCH_STUB_CALL_BYTES 4 /* call *-24(%rsp) */

/* A call pushes the return address, and functions leave it there unchanged. */
#define ARCH_RETURN_ON_STACK   1
#define ARCH_ENTRY_ABOVE_FRAME 0

static inline uintptr_t arch_sign_return(uintptr_t address, uintptr_t sp)
{
	(void)sp;
	return address;
}

/* DWARF numbers of the registers in which arch_landing expects its arguments. */
#define ARCH_LANDING_EXCEPTION 0 /* rax */
#define ARCH_LANDING_SLOT      1 /* rdx */

#endif
