/* SPDX-License-Identifier: MIT
 *
 * A thread's slots are in chunks. Slots are taken in order, and mostly given back in the reverse
 * order; top is the next to be taken. In between there may be some that are given back already
 * (SP_LEFT), which are free as soon as all above them are; and some that have to be kept although
 * their calls seem to be over (SP_PRESUMED), which do not keep those around them: top goes below
 * them, and limit is then the first of them that is in the way.
 */
#include "capture/calls/slots.h"

#include <errno.h>

#include "capture/calls/arena.h"
#include "capture/calls/own_stack.h"
#include "capture/calls/state.h"

/* What calls count in that were under way when the process was forked. Nobody reads it, and since
 * it has no octaves the wrapper leaves such calls to C. */
static struct record disowned;

static bool is_presumed(const struct slot *slot)
{
	return slot->sp == (uintptr_t)SP_PRESUMED;
}

/* Where the frame of a slot is, or was: `entered` is of no use any more in one that was given up.
 */
static uintptr_t frame_of(const struct slot *slot)
{
	return slot->sp == SP_ESCAPED || is_presumed(slot) ? (uintptr_t)slot->entered : slot->sp;
}

/* Whoever called this slot's function by a jump has the same sp, and is still there. */
static bool is_jumped_from(const struct slot *slot, uintptr_t return_address)
{
	return return_address == arena_stub_return(slot);
}

bool slots_is_counted(const struct slot *slot)
{
	return slot->record && slot->record != &disowned;
}

/* ---- giving a slot up ---- */

static void close_record(struct slot *slot)
{
	if (slot->record && slot->record->outermost == slot)
		slot->record->outermost = NULL;
}

static void forget(struct slot *slot)
{
	close_record(slot);
	slot->record = NULL;
	slot->sp = SP_LEFT;
}

static void abandon(struct slot *slot)
{
	if (slot->record && !is_presumed(slot))
		slot->record->seen.abandoned++;
	forget(slot);
}

/* Whether the word where the slot's function returns from leads to its stub: if not, the frame is
 * gone and overwritten, and nobody can return. */
static bool leads_to_stub(const struct slot *slot, uintptr_t word)
{
	return word == arena_stub(slot) || word == arena_stub_return(slot);
}

/* Of a frame on a stack that runs, or has run a moment ago, so that it can be read. */
static bool may_return(const struct slot *slot)
{
	return leads_to_stub(slot, *(const uintptr_t *)(frame_of(slot) + SP_BELOW_FRAME));
}

/* The same of a frame on a stack that may not even be mapped any more. Takes a system call. */
static bool may_return_from_afar(const struct slot *slot)
{
	uintptr_t word;
	int err = sys_read_memory(frame_of(slot) + SP_BELOW_FRAME, &word, sizeof(word));

	return err == 0 ? leads_to_stub(slot, word) : err != -EFAULT;
}

/*
 * The frame is gone, if what runs inside the thread's own stack runs on it; if it does not, the
 * call is under way, and its slot must not become another's. So it counts as abandoned, and keeps
 * its slot until the frame is overwritten, which calls to come will do. slots_revive() is there in
 * case.
 */
static void presume_gone(struct slot *slot)
{
	if (!may_return(slot)) {
		abandon(slot);
		return;
	}
	if (slot->record)
		slot->record->seen.abandoned++;
	close_record(slot);
	slot->exit = arch_exit_whole;
	slot->entered = slot->sp;
	slot->sp = (uintptr_t)SP_PRESUMED;
	slot->children = slot->overhead = 0;
}

bool slots_revive(struct slot *slot)
{
	if (!is_presumed(slot))
		return false;
	if (slot->record) {
		slot->record->seen.abandoned--;
		slot->record->seen.untimed++;
	}
	slot->sp = (uintptr_t)slot->entered;
	return true;
}

/* ---- top and limit ---- */

/* Where slots that can be taken one after another end, from one of the chunk on. */
static struct slot *window_end(const struct chunk *chunk, struct slot *from)
{
	for (; from < chunk->limit; from++)
		if (is_presumed(from)) {
			if (may_return(from))
				break;
			forget(from);
			arena_reset(from);
		}
	return from;
}

/* The slots in use now end at `top` in chunk `number`. A signal handler must not see half of that.
 */
static void go_to(struct calls_thread *thread, unsigned number, struct slot *top)
{
	struct slot *limit = window_end(&thread->chunks[number], top);
	sys_sigset mask;

	/* In an order in which there are only free slots from top on. */
	if (number == thread->chunk && top <= thread->top) {
		__atomic_store_n(&thread->limit, limit, __ATOMIC_RELEASE);
		__atomic_store_n(&thread->top, top, __ATOMIC_RELEASE);
		return;
	}
	mask = state_block_signals();
	thread->chunk = number;
	thread->limit = limit;
	thread->top = top;
	state_restore_signals(mask);
}

void slots_settle(struct calls_thread *thread)
{
	for (;;) {
		struct chunk *chunk = &thread->chunks[thread->chunk];
		struct slot *top = thread->top;

		while (top > chunk->first && (top[-1].sp == SP_LEFT || is_presumed(&top[-1]))) {
			top--;
			if (is_presumed(top))
				continue;
			forget(top);
			arena_reset(top);
		}
		if (top != thread->top)
			go_to(thread, thread->chunk, top);
		if (top > chunk->first || thread->chunk == 0)
			return;
		/* What the chunk's first slots handed down is for the last one of the chunk below.
		 */
		chunk[-1].limit[-1].children += chunk->first[-1].children;
		chunk[-1].limit[-1].overhead += chunk->first[-1].overhead;
		chunk->first[-1].children = chunk->first[-1].overhead = 0;
		go_to(thread, thread->chunk - 1, chunk[-1].limit);
	}
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

/* Finds room behind what is in the way. */
static bool next_window(struct calls_thread *thread)
{
	for (;;) {
		const struct chunk *chunk = &thread->chunks[thread->chunk];
		struct slot *top = thread->limit;

		while (thread->chunk_count && top < chunk->limit && is_presumed(top))
			top++;
		if (thread->chunk_count && top < chunk->limit)
			go_to(thread, thread->chunk, top);
		else if (!next_chunk(thread))
			return false;
		if (thread->top < thread->limit)
			return true;
	}
}

/* ---- which calls are over ---- */

/* What is known when slots are looked through. */
struct look {
	struct own_stack_view view;
	uintptr_t sp; /* of the call that begins or ends */
	uintptr_t return_address;
	bool thorough; /* other stacks are looked at as well */
};

/* On a coroutine's stack, an exception that escaped from somewhere near below is over. */
static bool is_over(const struct look *look, const struct slot *slot)
{
	const uintptr_t near = 1 << 16;
	uintptr_t at = frame_of(slot);

	return own_stack_gone(&look->view, at, look->sp) ||
	       (at <= look->sp && look->sp - at < near);
}

/* Of a slot of another stack than the one that runs. */
static void look_afar(const struct look *look, struct slot *slot)
{
	/* Two frames cannot be in one place. */
	if (slot->sp == look->sp || (look->thorough && !may_return_from_afar(slot)))
		abandon(slot);
}

/* Whether the slot, and with it all below, is of a call that is still under way; else gives it up
 * if its frame is gone. */
static bool is_live(const struct look *look, struct slot *slot)
{
	if (slot->sp == SP_LEFT || slot->sp == (uintptr_t)SP_NOBODY)
		return false;
	if (slot->sp == SP_ESCAPED) {
		if (is_over(look, slot))
			forget(slot);
		return false;
	}
	if (is_presumed(slot)) {
		if (!may_return(slot))
			forget(slot);
		return false;
	}
	if (slot->sp == look->sp && is_jumped_from(slot, look->return_address))
		return true;
	if (own_stack_gone(&look->view, slot->sp, look->sp)) {
		presume_gone(slot);
		return false;
	}
	if (own_stack_runs(&look->view, slot->sp))
		return true;
	look_afar(look, slot);
	return false;
}

/* Gives up slots from the top whose frames are gone, seen from one at sp. Those of other stacks are
 * passed over; the first live one of the stack that runs has only live ones below. */
static void take_down(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address,
		      bool thorough)
{
	struct look look = { own_stack_view(thread, sp), sp, return_address, thorough };
	bool live = false;

	for (unsigned i = thread->chunk + 1; i-- > 0 && !live;) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *slot = i == thread->chunk ? thread->top : chunk->limit;

		while (slot-- > chunk->first && !live)
			live = is_live(&look, slot);
	}
	slots_settle(thread);
}

/* ---- the interface ---- */

struct slot *slots_take(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address)
{
	struct slot *slot;

	if (thread->chunk_count && thread->top[-1].sp <= sp &&
	    !(thread->top[-1].sp == sp && is_jumped_from(&thread->top[-1], return_address)))
		take_down(thread, sp, return_address, false);
	/* What the wrapper does not notice is found at the latest when there would be one chunk
	 * more. */
	if (thread->top == thread->limit && thread->chunk_count)
		take_down(thread, sp, return_address,
			  thread->limit == thread->chunks[thread->chunk].limit);
	if (thread->top == thread->limit && !next_window(thread))
		return NULL;
	slot = thread->top;
	/* In one instruction, as the wrapper does it: a signal handler finds it taken or not. */
	__atomic_store_n(&thread->top, slot + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return slot;
}

/* Whether the slot is one of those that end at top. */
static bool is_below_top(const struct calls_thread *thread, const struct slot *slot)
{
	for (unsigned i = 0; i < thread->chunk; i++)
		if (slot >= thread->chunks[i].first && slot < thread->chunks[i].limit)
			return true;
	return slot >= thread->chunks[thread->chunk].first && slot < thread->top;
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
	else if (is_below_top(thread, slot))
		take_down(thread, sp, slot->return_address, false);
	else
		arena_reset(slot);
}

void slots_escape(struct slot *slot)
{
	if (slot->record)
		slot->record->seen.escaped++;
	close_record(slot);
	slot->record = NULL;
	slot->entered = slot->sp;
	slot->sp = SP_ESCAPED;
}

/* The stack of a thread that has ended is gone whole. */
void slots_adopt(struct calls_thread *thread)
{
	if (!thread->chunk_count)
		return;
	if (thread->top != thread->chunks[0].first && !thread->stack_end)
		own_stack_find(thread);
	for (unsigned i = 0; i < thread->chunk_count; i++)
		for (struct slot *slot = thread->chunks[i].first; slot < thread->chunks[i].limit;
		     slot++)
			if (slot->sp == SP_ESCAPED || own_stack_was(thread, frame_of(slot)))
				abandon(slot);
	for (unsigned i = thread->chunk; i < thread->chunk_count; i++)
		for (struct slot *slot = thread->chunks[i].first; slot < thread->chunks[i].limit;
		     slot++)
			if (slot->sp == SP_LEFT && !is_below_top(thread, slot))
				arena_reset(slot);
	slots_settle(thread);
	thread->stack_low = thread->stack_end = 0;
}

void slots_disown(struct calls_thread *thread)
{
	for (unsigned i = 0; i < thread->chunk_count; i++)
		for (struct slot *slot = thread->chunks[i].first; slot < thread->chunks[i].limit;
		     slot++)
			if (slot->record)
				slot->record = &disowned;
}
