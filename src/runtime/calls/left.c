/* SPDX-License-Identifier: MIT */
#include "left.h"

#include <errno.h>

#include "base/scramble.h"
#include "arena.h"
#include "state.h"
#include "stored_return.h"
#include "waits.h"
#include "runtime/process/probe.h"

/* ---- giving a slot up ---- */

void left_close_record(struct slot *slot)
{
	if (slot->tally && slot->tally->outermost == slot)
		slot->tally->outermost = NULL;
	slot->tally = NULL;
	waits_drop(slot);
}

void left_forget(struct slot *slot)
{
	left_close_record(slot);
	slot->sp = SP_LEFT;
}

/* Writes a call off: it is counted, and its slot stays taken. */
static void write_off(struct slot *slot)
{
	if (slot->tally)
		calls_add(&slot->tally->seen.abandoned, 1);
	left_close_record(slot);
}

void left_abandon(struct slot *slot)
{
	write_off(slot);
	left_forget(slot);
}

/*
 * Unhooks a slot whose frame is on a current or recent stack, below the running code: it is gone,
 * unless that code runs inside the thread's own stack as a coroutine that uses a variable as its
 * stack. In case it is not gone, its function is made to return directly to its caller, without the
 * stub; otherwise this writes into unused memory. If that is not possible, the slot stays for it to
 * return to, until its frame is certainly gone.
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
		left_abandon(slot);
	return true;
}

/* ---- which calls are over ---- */

uintptr_t left_frame_of(const struct slot *slot)
{
	return slot->sp == SP_ESCAPED ? (uintptr_t)slot->entered : slot->sp;
}

bool left_leads_to(const struct slot *slot, uintptr_t address)
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
 * Checks the frame. We may be in a handler, on a stack of its own, of a signal that has come while
 * the call was returning: then the frame has its return address back already, and is still to be
 * counted.
 */
bool left_is_overwritten(const struct slot *slot)
{
	uintptr_t frame = slot->sp + SP_BELOW_FRAME, word;
	int err;

	/* Nothing can be concluded: the return address is elsewhere. */
	if (!ARCH_RETURN_ON_STACK)
		return !probe_writable((const void *)frame);
	err = sys_read_memory(frame, &word, sizeof(word));
	if (err)
		return err == -EFAULT;
	return word != slot->return_address && !left_leads_to(slot, word);
}

struct look left_look(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address)
{
	return (struct look){ .view = own_stack_view(thread, sp),
			      .sp = sp,
			      .return_address = return_address };
}

/*
 * Returns whether an escaped exception is over: on a coroutine's stack, one that escaped from
 * nearby below is.
 */
static bool is_over(const struct look *look, const struct slot *slot)
{
	const uintptr_t near = 1 << 16;
	uintptr_t at = left_frame_of(slot);

	return own_stack_gone(&look->view, at, look->sp) ||
	       (at <= look->sp && look->sp - at < near);
}

/* Examines a slot of another stack than the current one. */
static void look_afar(const struct look *look, struct slot *slot)
{
	/* Two frames cannot be in one place; ours extend from here up to that of the call. */
	if (slot->sp == look->sp ||
	    (slot->sp < look->sp && slot->sp > (uintptr_t)__builtin_frame_address(0)) ||
	    (look->thorough && left_is_overwritten(slot)))
		left_abandon(slot);
}

bool left_is_live(const struct look *look, struct slot *slot)
{
	if (slot->sp == SP_LEFT || slot->sp == (uintptr_t)SP_NOBODY)
		return false;
	if (slot->sp == SP_ESCAPED) {
		if (is_over(look, slot))
			left_forget(slot);
		return false;
	}
	if (slot->sp == look->sp && left_leads_to(slot, look->return_address))
		return true;
	if (own_stack_gone(&look->view, slot->sp, look->sp))
		return !unhook(slot);
	if (own_stack_runs(&look->view, slot->sp))
		return true;
	look_afar(look, slot);
	return false;
}

/*
 * The slots of the latest calls by their frames, on any thread: numbers in the arena. One that was
 * overwritten by another is not found, and stays until its stack is unmapped.
 */
#define PLACES 1024
static uint32_t places[ARCH_RETURN_ON_STACK ? 1 : PLACES];

void left_replace(const struct calls_thread *thread, const struct slot *slot, uintptr_t sp,
		  uintptr_t return_address)
{
	uint32_t *place =
		&places[scramble((uint32_t)(sp >> 4)) % (sizeof(places) / sizeof(places[0]))];
	struct slot *before = &calls_slots[__atomic_load_n(place, __ATOMIC_RELAXED)];

	if (ARCH_RETURN_ON_STACK)
		return;
	if (before != slot && before->owner == thread && before->sp == sp &&
	    !left_leads_to(before, return_address))
		left_abandon(before);
	__atomic_store_n(place, (uint32_t)(slot - calls_slots), __ATOMIC_RELAXED);
}
