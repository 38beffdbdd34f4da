/* SPDX-License-Identifier: MIT
 *
 * thread.h - the thread's control block; the CPU has defined the register that addresses it
 * (TCB_REGISTER) and its offsets.
 */
#ifndef DWELL_ARCH_X86_THREAD_H
#define DWELL_ARCH_X86_THREAD_H

/* pthread_self() is the thread pointer, in both glibc and musl. */
#define ARCH_THREAD_IS_POINTER 1

/* Bytes of the control block below the thread pointer. */
#define TCB_BELOW 0

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%" TCB_REGISTER ":0, %0" : "=r"(pointer));
	return pointer;
}

static inline bool arch_has_thread_locals(void)
{
	uintptr_t table;

	__asm__ volatile("mov %%" TCB_REGISTER ":%c1, %0" : "=r"(table) : "i"(TCB_DTV));
	return table;
}

/* Returns true if code built with -fsplit-stack has set the limit of its stack, in a word of the
 * control block that glibc reserves for it and leaves 0. */
static inline bool arch_splits_stack(void)
{
#ifdef __GLIBC__
	uintptr_t limit;

	__asm__ volatile("mov %%" TCB_REGISTER ":%c1, %0" : "=r"(limit) : "i"(TCB_STACK_LIMIT));
	return limit;
#else
	return false;
#endif
}
#endif

#endif
