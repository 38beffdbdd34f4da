/* SPDX-License-Identifier: MIT
 *
 * steady.h - memory of the program that stays where it is, so that it need not be probed before
 * each tick: probing takes a system call, a sixth of what a tick takes.
 *
 * That is the static data of the program itself, its .data and .bss. It cannot go by accident, as
 * what malloc() gives does when it is freed, but only by a call that names it. memory_guard.c
 * stands in front of these calls; after the first one, nothing is steady any more. Where the guard
 * is not in place nothing ever is.
 */
#ifndef DWELL_RUNTIME_PROFIL_STEADY_H
#define DWELL_RUNTIME_PROFIL_STEADY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Written when the library is loaded, and `size` once more, as 0. Read by handlers. */
struct steady {
	uintptr_t start;
	_Atomic size_t size; /* 0: there is none */
};

extern struct steady steady;

/* Whether all of it is steady. Async-signal-safe. */
static inline bool steady_holds(const void *at, size_t size)
{
	size_t room = atomic_load_explicit(&steady.size, memory_order_relaxed);
	uintptr_t offset = (uintptr_t)at - steady.start;

	return offset < room && room - offset >= size;
}

/*
 * A call is about to change what is mapped there, or how. Such calls change whole pages: the last
 * one is taken for as large as pages get. Async-signal-safe.
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
