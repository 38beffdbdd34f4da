/* SPDX-License-Identifier: MIT */
#include "put_back.h"

#include "arena.h"
#include "left.h"
#include "slots.h"
#include "stored_return.h"

/* Returns the innermost slot. If two are in one place, one has tail-called the other, and is the
 * one that it returns to. */
static struct slot *innermost(struct calls_thread *thread, uintptr_t sp)
{
	struct slot *found = NULL;

	for (unsigned i = 0; i <= thread->chunk && thread->chunk_count; i++) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *end = i == thread->chunk ? thread->top : chunk->limit;

		for (struct slot *slot = chunk->first; slot < end; slot++)
			if (slot->sp > sp && slot->sp != (uintptr_t)SP_NOBODY &&
			    (!found || slot->sp < found->sp ||
			     (slot->sp == found->sp &&
			      !left_leads_to(slot, found->return_address))))
				found = slot;
	}
	return found;
}

void put_back_innermost(struct calls_thread *thread, uintptr_t sp)
{
	struct slot *slot = innermost(thread, sp);

	if (slot && stored_return_replace(slot) == STORED_REPLACED)
		slots_escape(slot);
}

/* Gives the slot of a call up whose return address is back. */
static void give_up(struct slot *slot)
{
	if (slots_is_counted(slot))
		calls_add(&slot->tally->seen.untimed, 1);
	left_forget(slot);
}

void put_back_stack(struct calls_thread *thread, uintptr_t sp)
{
	struct own_stack_view view = own_stack_view(thread, sp);
	struct slot *slot;

	while ((slot = innermost(thread, sp))) {
		if (!own_stack_runs(&view, slot->sp) ||
		    stored_return_replace(slot) != STORED_REPLACED) {
			sp = slot->sp;
			continue;
		}
		give_up(slot);
	}
	slots_settle(thread);
}

/* Returns whether the slot is free afterwards. */
static bool put_back_one(struct slot *slot)
{
	if (slot->sp == SP_LEFT)
		return true;
	if (slot->sp == (uintptr_t)SP_NOBODY || slot->sp == SP_ESCAPED)
		return false;
	if (left_is_overwritten(slot)) {
		left_abandon(slot);
		return true;
	}
	if (stored_return_replace(slot) != STORED_REPLACED)
		return false;
	give_up(slot);
	return true;
}

void put_back_call(struct injected_call *call)
{
	struct slot *slot = arena_slot_of(call->stub);

	if (!slot || slot->sp <= SP_ESCAPED || slot->sp == (uintptr_t)SP_NOBODY)
		return;
	call->found = stored_return_replace_in(slot, call->stack, call->stack_end);
	call->found += stored_return_replace_in(slot, call->registers, call->registers_end);
}

void put_back_finish(const struct injected_call *call)
{
	if (call->found)
		give_up(arena_slot_of(call->stub));
}

/* The latest come first: one that was tail-called returns to the stub of its caller. */
uint32_t put_back_all(struct calls_thread *thread)
{
	uint32_t left = 0;

	for (unsigned i = thread->chunk + 1; i-- > 0 && thread->chunk_count;) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *slot = i == thread->chunk ? thread->top : chunk->limit;

		while (slot-- > chunk->first)
			left += !put_back_one(slot);
	}
	if (thread->chunk_count)
		slots_settle(thread);
	return left;
}
