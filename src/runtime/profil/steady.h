/* SPDX-License-Identifier: MIT
 *
 * steady.h - memory of the program that stays mapped, so that it need not be probed before each
 * tick: a probe takes a system call, a sixth of the time of a tick.
 *
 * That is the static data of the program itself, its .data and .bss. It cannot be unmapped by
 * accident, as memory of malloc() is when it is freed, but only by a call that names it.
 * memory_guard.c interposes these calls; after the first one, no memory is steady any more. Without
 * the guard none ever is.
 */
#ifndef DWELL_RUNTIME_PROFIL_STEADY_H
#define DWELL_RUNTIME_PROFIL_STEADY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Written when the library is loaded, and `size` once more, to 0. Read by handlers. */
struct steady {
	uintptr_t start;
	_Atomic size_t size; /* 0: there is none */
};

extern struct steady steady;

/* Returns whether the whole range is steady. Async-signal-safe. */
static inline bool steady_holds(const void *at, size_t size)
{
	size_t room = atomic_load_explicit(&steady.size, memory_order_relaxed);
	uintptr_t offset = (uintptr_t)at - steady.start;

	return offset < room && room - offset >= size;
}

/*
 * Notes that a call is about to change a mapping. Such calls change whole pages: the last one is
 * assumed to be of the largest page size. Async-signal-safe.
 */
static inline void steady_disturb(const void *at, size_t size)
{
	const size_t page = 65536;
	size_t room = atomic_load_explicit(&steady.size, memory_order_relaxed);
	uintptr_t first = (uintptr_t)at, end;

	if (__builtin_add_overflow(first, size, &end) || __builtin_add_overflow(end, page, &end))
		end = UINTPTR_MAX;
	if (end > steady.start && first < steady.start + room)
		atomic_store(&steady.size, 0);
}

#endif
