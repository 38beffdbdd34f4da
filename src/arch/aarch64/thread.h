/* SPDX-License-Identifier: MIT
 *
 * thread.h - the thread pointer of aarch64.
 */
#ifndef DWELL_ARCH_THREAD_H
#define DWELL_ARCH_THREAD_H

/* Offset in the thread's control block of the address of its table of thread-local variables. It is
 * 0 in a block that a program made itself for a child of clone(): the variables, which are above
 * the block, are then arbitrary memory, or not mapped at all. */
#define TCB_DTV 0

/* Bytes of the control block below the thread pointer. */
#define TCB_BELOW 0

/* pthread_self() is below the thread pointer. */
#define ARCH_THREAD_IS_POINTER 0

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

static inline bool arch_has_thread_locals(void)
{
	return *(const volatile uintptr_t *)(arch_thread_pointer() + TCB_DTV);
}

/* Compilers for aarch64 have no -fsplit-stack. */
static inline bool arch_splits_stack(void)
{
	return false;
}
#endif

#endif
