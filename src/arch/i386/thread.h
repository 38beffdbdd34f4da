/* SPDX-License-Identifier: MIT
 *
 * thread.h - the thread pointer of i386.
 */
#ifndef DWELL_ARCH_THREAD_H
#define DWELL_ARCH_THREAD_H

#define TCB_REGISTER "gs"

/* Offset in the thread's control block of the address of its table of thread-local variables. It is
 * 0 in a block that a program made itself for a child of clone(): the variables, which are below
 * the block, are then arbitrary memory, or not mapped at all. */
#define TCB_DTV 4

#define TCB_STACK_LIMIT 0x30

#include "x86/thread.h"

#endif
