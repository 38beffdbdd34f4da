/* SPDX-License-Identifier: MIT */
#include "capture/calls/slots.h"

#include <errno.h>

#include "base/scramble.h"
#include "capture/calls/arena.h"
#include "capture/calls/own_stack.h"
#include "capture/calls/state.h"
#include "capture/calls/stored_return.h"
#include "capture/probe.h"

/* What calls count in that were under way when the process was forked. Nobody reads it, and since
 * it has no octaves the wrapper leaves such calls to C. */
static struct record disowned;

/* Where the frame of a slot is; of one that was left by an exception, `entered` says where it was.
 */
static uintptr_t frame_of(const struct slot *slot)
{
	return slot->sp == SP_ESCAPED ? (uintptr_t)slot->entered : slot->sp;
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

/* The call is counted; the slot is still taken. */
static void write_off(struct slot *slot)
{
	if (slot->record)
		calls_add(&slot->record->seen.abandoned, 1);
	close_record(slot);
	slot->record = NULL;
}

static void abandon(struct slot *slot)
{
	write_off(slot);
	forget(slot);
}

/*
 * The slot's frame is on a stack that runs, or has run a moment ago, and is lower than what runs
 * there: it is gone, unless what runs inside the thread's own stack is a coroutine that has a
 * variable for its stack. In case it is not gone, its function is made to return to its caller
 * straight, without the stub; else that is written into memory that nobody uses any more. Where it
 * cannot be made to, the slot stays for it to return to, until its frame is certainly gone.
 *
 * False: a signal has come just before the wrapper's jump to the stub, so it is certainly not gone.
 */
static bool unhook(struct slot *slot)
{
	enum stored_return stored = stored_return_replace(slot);

	if (stored == STORED_NOT_YET)
		return false;
	if (stored == STORED_UNKNOWN)
		write_off(slot);
	else
		abandon(slot);
	return true;
}

/* Whether a return to `address` gets to the slot's stub: at once, or by those of functions that it
 * has ended in jumping to. */
static bool leads_to(const struct slot *slot, uintptr_t address)
{
	const int jumps_max = 64;

	for (int jumps = 0; jumps < jumps_max; jumps++) {
		const struct slot *other = arena_slot_of(address);

		if (other == slot || !other)
			return other;
		address = other->return_address;
	}
	return true;
}

/*
 * Whether nobody can return to the stub of a slot on another stack: its frame is overwritten, or
 * not even mapped any more. Takes a system call.
 *
 * We may be in a handler, on a stack of its own, of a signal that has come while the call was on
 * its way out: then the frame has its return address back already, and is still to be counted.
 */
static bool is_overwritten(const struct slot *slot)
{
	uintptr_t frame = slot->sp + SP_BELOW_FRAME, word;
	int err;

	/* What is there says nothing: the return address is elsewhere. */
	if (!ARCH_RETURN_ON_STACK)
		return !probe_writable((const void *)frame);
	err = sys_read_memory(frame, &word, sizeof(word));
	if (err)
		return err == -EFAULT;
	return word != slot->return_address && !leads_to(slot, word);
}

/* ---- chunks ---- */

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
			top->sp = (uintptr_t)SP_NOBODY;
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

/*
 * Where return addresses are not on the stack, a frame that is overwritten is known by a later call
 * in the same place. Of each place, this is the earliest call that was met so far and may still be
 * under way. Guarded by the lock.
 */
static struct {
	uintptr_t sp, return_address;
} places[256];

static sys_sigset begin_places(void)
{
	sys_sigset mask = state_lock();

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		places[i].sp = 0;
	return mask;
}

static bool is_used_again(const struct slot *slot)
{
	const size_t count = sizeof(places) / sizeof(places[0]);
	size_t i = scramble((uint32_t)(slot->sp >> 4)) % count;

	if (places[i].sp == slot->sp && !is_jumped_from(slot, places[i].return_address))
		return true;
	places[i].sp = slot->sp;
	places[i].return_address = slot->return_address;
	return false;
}

static bool is_gone_afar(const struct slot *slot)
{
	return is_overwritten(slot) || (!ARCH_RETURN_ON_STACK && is_used_again(slot));
}

/* Of a slot of another stack than the one that runs. */
static void look_afar(const struct look *look, struct slot *slot)
{
	/* Two frames cannot be in one place; ours are from here up to that of the call. */
	if (slot->sp == look->sp ||
	    (slot->sp < look->sp && slot->sp > (uintptr_t)__builtin_frame_address(0)) ||
	    (look->thorough && is_gone_afar(slot)))
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
	if (slot->sp == look->sp && is_jumped_from(slot, look->return_address))
		return true;
	if (own_stack_gone(&look->view, slot->sp, look->sp))
		return !unhook(slot);
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
	bool live = false, needs_places = thorough && !ARCH_RETURN_ON_STACK;
	sys_sigset mask = needs_places ? begin_places() : 0;

	for (unsigned i = thread->chunk + 1; i-- > 0 && !live;) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *slot = i == thread->chunk ? thread->top : chunk->limit;

		while (slot-- > chunk->first && !live)
			live = is_live(&look, slot);
	}
	if (needs_places)
		state_unlock(mask);
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
		take_down(thread, sp, return_address, true);
	if (thread->top == thread->limit && !next_chunk(thread))
		return NULL;
	slot = thread->top;
	/* In one instruction, as the wrapper does it: a signal handler finds it taken or not. */
	__atomic_store_n(&thread->top, slot + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
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
		take_down(thread, sp, slot->return_address, false);
}

void slots_escape(struct slot *slot)
{
	if (slot->record)
		calls_add(&slot->record->seen.escaped, 1);
	close_record(slot);
	slot->record = NULL;
	slot->entered = slot->sp;
	slot->sp = SP_ESCAPED;
}

/* Of two in one place, one has jumped to the other, which is the later one. */
static struct slot *innermost(struct calls_thread *thread, uintptr_t sp)
{
	struct slot *found = NULL;

	for (unsigned i = 0; i <= thread->chunk && thread->chunk_count; i++) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *end = i == thread->chunk ? thread->top : chunk->limit;

		for (struct slot *slot = chunk->first; slot < end; slot++)
			if (slot->sp > sp && slot->sp != (uintptr_t)SP_NOBODY &&
			    (!found || slot->sp <= found->sp))
				found = slot;
	}
	return found;
}

void slots_step_aside(struct calls_thread *thread, uintptr_t sp)
{
	struct slot *slot = innermost(thread, sp);

	if (slot && stored_return_replace(slot) == STORED_REPLACED)
		slots_escape(slot);
}

void slots_untime(struct calls_thread *thread, uintptr_t sp)
{
	struct own_stack_view view = own_stack_view(thread, sp);
	struct slot *slot;

	while ((slot = innermost(thread, sp))) {
		struct record *record = slot->record;

		if (!own_stack_runs(&view, slot->sp) ||
		    stored_return_replace(slot) != STORED_REPLACED) {
			sp = slot->sp;
			continue;
		}
		if (slots_is_counted(slot))
			calls_add(&record->seen.untimed, 1);
		forget(slot);
	}
	slots_settle(thread);
}

/* Calls f for every slot below the top. */
static void for_each(struct calls_thread *thread, void (*f)(struct calls_thread *, struct slot *))
{
	for (unsigned i = 0; i <= thread->chunk && thread->chunk_count; i++) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *end = i == thread->chunk ? thread->top : chunk->limit;

		for (struct slot *slot = chunk->first; slot < end; slot++)
			f(thread, slot);
	}
}

/* The stack of a thread that has ended is gone whole; it may not even be mapped any more, so that
 * nobody can tell where it was. */
static void give_up(struct calls_thread *thread, struct slot *slot)
{
	if (slot->sp == SP_ESCAPED || own_stack_was(thread, frame_of(slot)) ||
	    (slot->sp != SP_LEFT && slot->sp != (uintptr_t)SP_NOBODY && is_overwritten(slot)))
		abandon(slot);
}

void slots_adopt(struct calls_thread *thread)
{
	if (!thread->chunk_count)
		return;
	if (thread->top != thread->chunks[0].first && !thread->stack_end)
		own_stack_find(thread);
	for_each(thread, give_up);
	slots_settle(thread);
	thread->stack_low = thread->stack_end = 0;
}

static void disown(struct calls_thread *thread, struct slot *slot)
{
	(void)thread;
	slot->record = &disowned;
}

void slots_disown(struct calls_thread *thread)
{
	for_each(thread, disown);
}
