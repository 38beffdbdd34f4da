/* SPDX-License-Identifier: MIT
 *
 * thread.h - the thread pointer of i386.
 */
#ifndef DWELL_ARCH_THREAD_H
#define DWELL_ARCH_THREAD_H

/* Offset in the thread's control block of the address of its table of thread-local variables. It is
 * 0 in a block that a program made itself for a child of clone(): the variables, which are below
 * the block, are then arbitrary memory, or not mapped at all. */
#define TCB_DTV 4

#define TCB_STACK_LIMIT 0x30

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%gs:0, %0" : "=r"(pointer));
	return pointer;
}

static inline bool arch_has_thread_locals(void)
{
	uintptr_t table;

	__asm__ volatile("mov %%gs:%c1, %0" : "=r"(table) : "i"(TCB_DTV));
	return table;
}

/* Returns true if code built with -fsplit-stack has set the limit of its stack, in a word of the
 * control block that glibc reserves for it and leaves 0. */
static inline bool arch_splits_stack(void)
{
#ifdef __GLIBC__
	uintptr_t limit;

	__asm__ volatile("mov %%gs:%c1, %0" : "=r"(limit) : "i"(TCB_STACK_LIMIT));
	return limit;
#else
	return false;
#endif
}
#endif

#endif
