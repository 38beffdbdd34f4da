/* SPDX-License-Identifier: MIT */
#include "capture/calls/slots.h"

#include "capture/calls/arena.h"
#include "capture/calls/own_stack.h"
#include "capture/calls/state.h"

/* Where the frame of a slot is, or was: `entered` is of no use any more in one that was given up.
 */
static uintptr_t frame_of(const struct slot *slot)
{
	return slot->sp == SP_ESCAPED || slot->sp == (uintptr_t)SP_PRESUMED
		       ? (uintptr_t)slot->entered
		       : slot->sp;
}

/* Whoever called this slot's function by a jump has the same sp, and is still there. */
static bool is_jumped_from(const struct slot *slot, uintptr_t return_address)
{
	return return_address == arena_stub_return(slot);
}

/* On a coroutine's stack, an exception that escaped from somewhere near below is over. */
static bool is_over(const struct own_stack_view *view, const struct slot *slot, uintptr_t sp)
{
	const uintptr_t near = 1 << 16;
	uintptr_t at = frame_of(slot);

	return own_stack_gone(view, at, sp) || (at <= sp && sp - at < near);
}

/* What calls count in that were under way when the process was forked. Nobody reads it, and since
 * it has no octaves the wrapper leaves such calls to C. */
static struct record disowned;

bool slots_is_counted(const struct slot *slot)
{
	return slot->record && slot->record != &disowned;
}

static void forget(struct slot *slot)
{
	if (slot->record && slot->record->outermost == slot)
		slot->record->outermost = NULL;
	slot->record = NULL;
	slot->sp = SP_LEFT;
}

/*
 * Whether the slot's function could still return to its stub: that is what the frame holds, unless
 * it was overwritten. Of a frame on a stack that runs, or has run a moment ago, so that it can be
 * read.
 */
static bool may_return(const struct slot *slot)
{
	const uintptr_t *frame = (const uintptr_t *)(frame_of(slot) + SP_BELOW_FRAME);

	return *frame == arena_stub(slot) || *frame == arena_stub_return(slot);
}

/*
 * The frame is gone, if what runs inside the thread's own stack runs on it; if it does not, the
 * call is under way, and its slot must not become another's. So it counts as abandoned, and keeps
 * its slot until the frame is overwritten, which calls to come will do. slots_revive() is there in
 * case.
 */
static void presume_gone(struct slot *slot)
{
	uintptr_t sp = slot->sp;

	if (slot->record) {
		slot->record->seen.abandoned++;
		if (slot->record->outermost == slot)
			slot->record->outermost = NULL;
	}
	slot->exit = arch_exit_whole;
	slot->sp = (uintptr_t)SP_PRESUMED;
	slot->entered = sp;
	slot->children = slot->overhead = 0;
	if (!may_return(slot))
		forget(slot);
}

bool slots_revive(struct slot *slot)
{
	if (slot->sp != (uintptr_t)SP_PRESUMED)
		return false;
	if (slot->record) {
		slot->record->seen.abandoned--;
		slot->record->seen.untimed++;
	}
	slot->sp = (uintptr_t)slot->entered;
	return true;
}

/* The slots in use now end at `top` in chunk `number`. A signal handler must not see half of that.
 */
static void go_to(struct calls_thread *thread, unsigned number, struct slot *top)
{
	sys_sigset mask = state_block_signals();

	thread->chunk = number;
	thread->top = top;
	thread->limit = thread->chunks[number].limit;
	state_restore_signals(mask);
}

void slots_settle(struct calls_thread *thread)
{
	for (;;) {
		struct chunk *chunk = &thread->chunks[thread->chunk];

		while (thread->top > chunk->first && thread->top[-1].sp == SP_LEFT) {
			struct slot *top = thread->top - 1;

			forget(top);
			arena_reset(top);
			thread->top = top;
		}
		if (thread->top > chunk->first || thread->chunk == 0)
			return;
		/* What the chunk's first slots handed down is for the last one of the chunk below.
		 */
		chunk[-1].limit[-1].children += chunk->first[-1].children;
		chunk[-1].limit[-1].overhead += chunk->first[-1].overhead;
		chunk->first[-1].children = chunk->first[-1].overhead = 0;
		go_to(thread, thread->chunk - 1, chunk[-1].limit);
	}
}

/* Whether the slot, and with it all below, is of a call that is still under way; else gives it up
 * if its frame is gone. */
static bool is_live(const struct own_stack_view *view, struct slot *slot, uintptr_t sp,
		    uintptr_t return_address)
{
	if (slot->sp == SP_LEFT || slot->sp == (uintptr_t)SP_NOBODY)
		return false;
	if (slot->sp == SP_ESCAPED) {
		if (is_over(view, slot, sp))
			forget(slot);
		return false;
	}
	if (slot->sp == (uintptr_t)SP_PRESUMED) {
		if (!may_return(slot))
			forget(slot);
		return false;
	}
	if (slot->sp == sp && is_jumped_from(slot, return_address))
		return true;
	if (!own_stack_gone(view, slot->sp, sp))
		return own_stack_runs(view, slot->sp);
	presume_gone(slot);
	return false;
}

/* Gives up slots from the top whose frames are gone, seen from one at sp. Those of other stacks are
 * passed over; the first live one of the stack that runs has only live ones below. */
static void take_down(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address)
{
	struct own_stack_view view = own_stack_view(thread, sp);
	bool live = false;

	for (unsigned i = thread->chunk + 1; i-- > 0 && !live;) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *slot = i == thread->chunk ? thread->top : chunk->limit;

		while (slot-- > chunk->first && !live)
			live = is_live(&view, slot, sp, return_address);
	}
	slots_settle(thread);
}

static bool next_chunk(struct calls_thread *thread)
{
	unsigned next = thread->chunk_count ? thread->chunk + 1 : 0;
	struct chunk *chunk = &thread->chunks[next];

	if (next == thread->chunk_count) {
		if (next == CHUNKS_MAX || !arena_chunk(thread, chunk, next))
			return false;
		thread->chunk_count++;
	}
	/* Nobody's slot stands for the one below it, so that the wrapper sees when that is gone. */
	if (next)
		chunk->first[-1].sp = chunk[-1].limit[-1].sp;
	go_to(thread, next, chunk->first);
	return true;
}

struct slot *slots_take(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address)
{
	struct slot *slot;

	if (thread->chunk_count && thread->top[-1].sp <= sp &&
	    !(thread->top[-1].sp == sp && is_jumped_from(&thread->top[-1], return_address)))
		take_down(thread, sp, return_address);
	/* What the wrapper does not notice is found at the latest when there would be one chunk
	 * more. */
	if (thread->top == thread->limit && thread->chunk_count)
		take_down(thread, sp, return_address);
	if (thread->top == thread->limit && !next_chunk(thread))
		return NULL;
	slot = thread->top;
	/* In one instruction, as the wrapper does it: a signal handler finds it taken or not. */
	__atomic_store_n(&thread->top, slot + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	slot->sp = sp;
	return slot;
}

void slots_leave(struct calls_thread *thread, struct slot *slot)
{
	uintptr_t sp = slot->sp;

	if (slot->owner != thread) {
		/* A coroutine that has come here from another thread: for that one to settle. */
		__atomic_store_n(&slot->sp, SP_LEFT, __ATOMIC_RELEASE);
		return;
	}
	forget(slot);
	if (slot + 1 == thread->top)
		slots_settle(thread);
	else
		take_down(thread, sp, slot->return_address);
}

void slots_escape(struct slot *slot)
{
	if (slot->record) {
		slot->record->seen.escaped++;
		if (slot->record->outermost == slot)
			slot->record->outermost = NULL;
	}
	slot->record = NULL;
	slot->entered = slot->sp;
	slot->sp = SP_ESCAPED;
}

/* The stack of a thread that has ended is gone whole. */
static void give_up(struct slot *slot)
{
	if (slot->record && slot->sp != (uintptr_t)SP_PRESUMED)
		slot->record->seen.abandoned++;
	forget(slot);
}

void slots_adopt(struct calls_thread *thread)
{
	if (thread->chunk_count && thread->top != thread->chunks[0].first && !thread->stack_end)
		own_stack_find(thread);
	for (unsigned i = 0; i <= thread->chunk && thread->chunk_count; i++) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *end = i == thread->chunk ? thread->top : chunk->limit;

		for (struct slot *slot = chunk->first; slot < end; slot++)
			if (slot->sp == SP_ESCAPED || own_stack_was(thread, frame_of(slot)))
				give_up(slot);
	}
	if (thread->chunk_count)
		slots_settle(thread);
	thread->stack_low = thread->stack_end = 0;
}

void slots_disown(struct calls_thread *thread)
{
	for (unsigned i = 0; i <= thread->chunk && thread->chunk_count; i++) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *end = i == thread->chunk ? thread->top : chunk->limit;

		for (struct slot *slot = chunk->first; slot < end; slot++)
			slot->record = &disowned;
	}
}
