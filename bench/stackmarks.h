/* SPDX-License-Identifier: MIT
 *
 * stackmarks.h - detects if a signal was handled on this thread, by any handler.
 *
 * To deliver a signal, the kernel writes a frame of well over 128 bytes (siginfo alone is that
 * large) below the stack pointer, and the handler's own frames follow. So a mark every 64 bytes of
 * the unused stack below cannot survive a signal, nor can anything but a signal, or a call of ours,
 * hurt it. That works for every profiler alike, with no hand in it.
 *
 * Between set and hurt, the caller must call nothing that is not inlined, and there must be no
 * alternate signal stack.
 */
#ifndef DWELL_BENCH_STACKMARKS_H
#define DWELL_BENCH_STACKMARKS_H

#include <stdbool.h>
#include <stdint.h>

#define STACKMARKS_FIRST  512 /* bytes below the frame: beyond its locals and the red zone */
#define STACKMARKS_LAST   4608
#define STACKMARKS_STRIDE 64
#define STACKMARKS_VALUE  UINT64_C(0x6d61726b6d61726b)

/* base: the same in both calls, and below everything the caller has on its stack. */
static inline __attribute__((always_inline)) void stackmarks_set(uintptr_t base)
{
	for (uintptr_t at = STACKMARKS_FIRST; at < STACKMARKS_LAST; at += STACKMARKS_STRIDE)
		*(volatile uint64_t *)(base - at) = STACKMARKS_VALUE;
}

static inline __attribute__((always_inline)) bool stackmarks_hurt(uintptr_t base)
{
	for (uintptr_t at = STACKMARKS_FIRST; at < STACKMARKS_LAST; at += STACKMARKS_STRIDE)
		if (*(volatile uint64_t *)(base - at) != STACKMARKS_VALUE)
			return true;
	return false;
}

#endif
