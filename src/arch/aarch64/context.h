/* SPDX-License-Identifier: MIT
 *
 * context.h - facts about the interrupted code for a signal handler, on aarch64.
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
	return (uintptr_t)uc->uc_mcontext.pc;
}

/* The kernel returns to behind the svc, and no register shows this. So look at the code: it was
 * about to run, and can be read, except in front of its page. Plain code is past that address after
 * one instruction. */
static inline bool arch_in_syscall(const ucontext_t *uc)
{
	const uint32_t svc_0 = 0xd4000001;
	const uintptr_t smallest_page = 4096;
	uintptr_t pc = arch_pc(uc);

	return pc % smallest_page && ((const uint32_t *)pc)[-1] == svc_0;
}

#endif
