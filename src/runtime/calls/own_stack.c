/* SPDX-License-Identifier: MIT */
#include "own_stack.h"

#include "base/proc_maps.h"
#include "state.h"

/* The kernel keeps about that much free below the first thread's stack, for it to grow. */
#define FIRST_STACK_BYTES ((uintptr_t)128 << 20)

static bool is_called_stack(const char *name)
{
	static const char wanted[] = "[stack]";

	for (size_t i = 0; i < sizeof(wanted); i++)
		if (name[i] != wanted[i])
			return false;
	return true;
}

/*
 * Returns whether the mapping is the thread's stack. The first thread's is the one that the kernel
 * names so. Every other thread has its control block at the upper end of its stack, in the same
 * mapping.
 */
static bool is_stack_of(const struct calls_thread *thread, const struct proc_map *mapping)
{
	return thread->is_first
		       ? is_called_stack(mapping->path)
		       : mapping->start <= thread->pointer && thread->pointer < mapping->end;
}

void own_stack_find(struct calls_thread *thread)
{
	/* Too large for a stack that is not ours; only one thread at a time is here. */
	static char buffer[4096], path[16];
	struct proc_maps maps = {
		.buffer = buffer, .size = sizeof(buffer), .path = path, .path_size = sizeof(path)
	};
	struct proc_map mapping;
	bool first = thread->is_first;
	uintptr_t before = 0; /* end of the mapping below */

	thread->stack_low = thread->stack_end = UINTPTR_MAX; /* unknown */
	if (proc_maps_open(&maps, PROC_MAPS_SELF) != 0)
		return;
	for (; proc_maps_next(&maps, &mapping); before = mapping.end) {
		if (!is_stack_of(thread, &mapping))
			continue;
		thread->stack_low = mapping.start;
		thread->stack_end = first ? mapping.end : thread->pointer;
		if (first && mapping.end - mapping.start < FIRST_STACK_BYTES)
			thread->stack_low = mapping.end - FIRST_STACK_BYTES;
		if (first && thread->stack_low < before)
			thread->stack_low = before;
		break;
	}
	proc_maps_close(&maps);
}

static void find(struct calls_thread *thread)
{
	sys_sigset mask = state_lock();

	own_stack_find(thread);
	state_unlock(mask);
}

/*
 * Checks the signal stack first: it may be anywhere, even inside the thread's own. While a handler
 * runs there, its frames are above or below the interrupted ones by chance.
 */
struct own_stack_view own_stack_view(struct calls_thread *thread, uintptr_t sp)
{
	struct own_stack_view view = { 0 };
	stack_t handlers;

	if (!thread->stack_end)
		find(thread);
	if (sys_sigaltstack(NULL, &handlers) == 0 && !(handlers.ss_flags & SS_DISABLE)) {
		uintptr_t low = (uintptr_t)handlers.ss_sp, end = low + handlers.ss_size;

		if (handlers.ss_flags & SS_ONSTACK)
			return (struct own_stack_view){ .low = low, .end = end };
		view.idle_low = low;
		view.idle_end = end;
	}
	if (own_stack_was(thread, sp)) {
		view.low = thread->stack_low;
		view.end = thread->stack_end;
		return view;
	}
	return (struct own_stack_view){ 0 };
}
