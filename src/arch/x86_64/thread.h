/* SPDX-License-Identifier: MIT
 *
 * thread.h - the thread pointer of x86-64.
 */
#ifndef DWELL_ARCH_THREAD_H
#define DWELL_ARCH_THREAD_H

#define TCB_REGISTER "fs"

/* Offset in the thread's control block of the address of its table of thread-local variables, in
 * both glibc and musl. It is 0 in a block that a program made itself for a child of clone(): the
 * variables, which are below the block, are then arbitrary memory, or not mapped at all. */
#define TCB_DTV 8

#define TCB_STACK_LIMIT 0x70

#include "x86/thread.h"

#endif
