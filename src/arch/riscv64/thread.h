/* SPDX-License-Identifier: MIT
 *
 * thread.h - the thread pointer of riscv64.
 */
#ifndef DWELL_ARCH_THREAD_H
#define DWELL_ARCH_THREAD_H

/* Offset from the thread pointer of the address of the thread's table of thread-local variables.
 * The control block is below the pointer: the variables begin at it. The word is 0 in a block that
 * a program made itself for a child of clone(). */
#define TCB_DTV (-16)

/* Bytes of the control block below the thread pointer. */
#define TCB_BELOW 16

/* pthread_self() is below the thread pointer. */
#define ARCH_THREAD_IS_POINTER 0

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mv %0, tp" : "=r"(pointer));
	return pointer;
}

static inline bool arch_has_thread_locals(void)
{
	return *(const volatile uintptr_t *)(arch_thread_pointer() + TCB_DTV);
}

/* Compilers for riscv64 have no -fsplit-stack. */
static inline bool arch_splits_stack(void)
{
	return false;
}
#endif

#endif
