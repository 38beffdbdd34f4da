/* SPDX-License-Identifier: MIT
 *
 * context.h - facts about the interrupted code for a signal handler, on i386.
 */
#ifndef DWELL_ARCH_CONTEXT_H
#define DWELL_ARCH_CONTEXT_H

#ifndef _GNU_SOURCE
#error "the names of registers in <ucontext.h> need _GNU_SOURCE"
#endif
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

static inline uintptr_t arch_pc(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_EIP];
}

/* However the kernel was entered, it returns to behind an int $0x80: the vdso has one in front of
 * where its sysenter returns to, for calls that are restarted. No register shows this, so look at
 * the code: it was about to run, and can be read. Plain code is past that address after one
 * instruction. */
static inline bool arch_in_syscall(const ucontext_t *uc)
{
	const uint8_t *pc = (const uint8_t *)arch_pc(uc);

	return pc[-2] == 0xcd && pc[-1] == 0x80;
}

#endif
