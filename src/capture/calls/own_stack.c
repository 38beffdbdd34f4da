/* SPDX-License-Identifier: MIT */
#include "capture/calls/own_stack.h"

#include "capture/calls/maps.h"
#include "capture/calls/state.h"

/*
 * The first thread's stack is the one that the kernel calls so. Every other thread has its control
 * block at the upper end of its stack, in the same mapping.
 */
static void find(struct calls_thread *thread)
{
	uintptr_t pointer = arch_thread_pointer();
	bool first = thread->tid == sys_getpid();
	sys_sigset mask = state_lock();
	struct mapping mapping;
	struct maps maps;

	thread->stack_low = thread->stack_end = UINTPTR_MAX; /* cannot be told */
	if (maps_open(&maps) == 0) {
		while (maps_next(&maps, &mapping))
			if (first ? mapping.is_stack
				  : mapping.start <= pointer && pointer < mapping.end) {
				thread->stack_low = mapping.start;
				thread->stack_end = first ? mapping.end : pointer;
				break;
			}
		maps_close(&maps);
	}
	state_unlock(mask);
}

/*
 * The stack of signal handlers may be anywhere, even inside the thread's own, so it comes first.
 * While a handler runs there, its frames are higher or lower than those it has interrupted by
 * chance.
 */
struct own_stack_view own_stack_view(struct calls_thread *thread, uintptr_t sp)
{
	struct own_stack_view view = { 0 };
	stack_t handlers;

	if (!thread->stack_end)
		find(thread);
	if (sys_sigaltstack(&handlers) == 0 && !(handlers.ss_flags & SS_DISABLE)) {
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
