/* SPDX-License-Identifier: MIT
 *
 * context.h - facts about the interrupted code for a signal handler, on riscv64.
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
	return (uintptr_t)uc->uc_mcontext.__gregs[REG_PC];
}

/* The kernel returns to behind the ecall, and no register shows this. So look at the code: it was
 * about to run, and can be read, except in front of its page. Instructions are of two or of four
 * bytes, but none of two bytes is 0: these four are not the end of another one and a short one.
 * Plain code is past that address after one instruction. */
static inline bool arch_in_syscall(const ucontext_t *uc)
{
	const uint16_t ecall[2] = { 0x0073, 0x0000 };
	const uintptr_t smallest_page = 4096;
	uintptr_t pc = arch_pc(uc);
	const uint16_t *code = (const uint16_t *)pc;

	return pc % smallest_page >= sizeof(ecall) && code[-2] == ecall[0] && code[-1] == ecall[1];
}

#endif
