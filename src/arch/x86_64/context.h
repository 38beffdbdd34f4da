/* SPDX-License-Identifier: MIT
 *
 * context.h - facts about the interrupted code for a signal handler, on x86-64.
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
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

/*
 * The syscall instruction leaves the return address in rcx and the flags in r11, and the kernel
 * hands both back untouched. In plain code that coincidence lasts for the one instruction after a
 * system call.
 */
static inline bool arch_in_syscall(const ucontext_t *uc)
{
	const greg_t *r = uc->uc_mcontext.gregs;

	return r[REG_RCX] == r[REG_RIP] && r[REG_R11] == r[REG_EFL];
}

#endif
