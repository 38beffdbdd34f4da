/* SPDX-License-Identifier: MIT
 *
 * stack_guard.c - interposes backtrace(), and removes stubs, which are not real frames. Other
 * unwinders show them. It may be called in signal handlers: it does nothing that backtrace() itself
 * does not.
 */
#include <stddef.h>
#include <stdint.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

#include "arena.h"
#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "calls.h"
#include "stack_guard.h"

const void *stack_guard_redirected(const void *address)
{
	uintptr_t offset = (uintptr_t)address - (uintptr_t)arch_redirectors;
	size_t id = offset / FUNCTION_BYTES;

	if (id && id <= calls_state.function_count && calls_functions[id].target)
		address = (const char *)calls_functions[id].target + offset % FUNCTION_BYTES;
	return address;
}

#ifdef __GLIBC__
static int (*libc_backtrace)(void **, int);

/* Finds libc's function. Idempotent; also called early, by constructors of other libraries. */
__attribute__((constructor)) static void guard_init(void)
{
	if (!libc_backtrace)
		INTERPOSE_FIND(libc_backtrace, "backtrace");
}

/*
 * Copies a backtrace without our own frames, which come before the one that returns to `caller`,
 * and without stubs. Returns how many are left.
 */
static int take_out(void **to, int room, void *const *frames, int count, const void *caller)
{
	int first = 0, kept = 0;

	while (first < count && frames[first] != caller)
		first++;
	for (int i = first == count ? 1 : first; i < count && kept < room; i++)
		if (!arena_slot_of((uintptr_t)frames[i]))
			to[kept++] = frames[i];
	return kept;
}

#define FULL_MAX 1024 /* frames: a program with room for more gets no more */

/*
 * Walks the stack again if it has more frames than the buffer: the removed ones have displaced
 * others. There may be a stub for each frame, and two frames are ours.
 */
static int backtrace_again(void **frames, int size, const void *caller)
{
	int room = 2 * size + 2;
	void **all = __builtin_alloca((size_t)room * sizeof(*all));

	return take_out(frames, size, all, libc_backtrace(all, room), caller);
}

EXPORT int backtrace(void **frames, int size)
{
	const void *caller = __builtin_return_address(0);
	int count;

	guard_init();
	count = libc_backtrace ? libc_backtrace(frames, size) : 0;
	if (count > 0 && count == size && size <= FULL_MAX)
		return backtrace_again(frames, size, caller);
	return take_out(frames, size, frames, count, caller);
}
#endif
