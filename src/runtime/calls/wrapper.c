/* SPDX-License-Identifier: MIT
 *
 * wrapper.c - the C version of the wrapper, for all but the usual case, which the assembly handles.
 */
#include "process.h"
#include "runtime/process/instant.h"
#include "tallies.h"
#include "slots.h"
#include "threads.h"
#include "waits.h"

/* Counts a call. Called by the assembly, see arch.h; *frame is its return address. */
void calls_count(struct callee *function, const uintptr_t *frame);
struct slot *calls_enter(struct callee *function, uintptr_t *frame);
void calls_leave(struct slot *slot, uint64_t now);

/*
 * Returns whether nothing is counted for now. The assembly does not ask, so that the usual case
 * pays nothing: until counting begins no function has a tally, and it leaves all calls to us. Once
 * a function has one, only RECORD_PAUSABLE leads here again. Function 0 is for calibrate().
 */
static bool is_paused(const struct callee *function)
{
	const struct record_header *header = room_header();

	return function->id && header &&
	       __atomic_load_n(&header->flags, __ATOMIC_RELAXED) & RECORD_PAUSED;
}

static struct tally *find_tally(struct calls_thread *thread, struct callee *function,
				const uintptr_t *frame)
{
	struct tally *tally;

	if (is_paused(function))
		return NULL;
	tally = thread ? tallies_find(thread, function, frame) : NULL;
	if (!tally && calls_state.entry.process)
		process_lost(&calls_state.entry.process->lost_calls);
	return tally;
}

void calls_count(struct callee *function, const uintptr_t *frame)
{
	struct tally *tally = find_tally(threads_this(), function, frame);

	if (tally) {
		calls_add(&tally->seen.calls, 1);
		calls_add(&tally->seen.untimed, 1);
	}
}

static bool is_sampled(void)
{
	return calls_state.flags & RECORD_SAMPLE_TIMING;
}

/*
 * If calls are sampled, a slot has to store how many its call stands for. There is room above the
 * time, if that is counted from the start of the program.
 */
#define GAP_SHIFT 58
_Static_assert(RECORDS_GAP_MAX < 1 << (64 - GAP_SHIFT), "room for the gap");

static uint64_t entered_at(uint64_t now, uint64_t gap)
{
	return is_sampled() ? (now - calls_state.origin) | gap << GAP_SHIFT : now;
}

static uint64_t time_of_entry(const struct slot *slot)
{
	const uint64_t mask = (UINT64_C(1) << GAP_SHIFT) - 1;

	return is_sampled() ? (slot->entered & mask) + calls_state.origin : slot->entered;
}

static uint64_t weight_of(const struct slot *slot)
{
	return is_sampled() ? slot->entered >> GAP_SHIFT : 1;
}

struct slot *calls_enter(struct callee *function, uintptr_t *frame)
{
	struct calls_thread *thread = threads_this();
	struct tally *tally = find_tally(thread, function, frame);
	struct slot *slot = NULL;
	uint64_t gap = 1;

	if (!tally)
		return NULL;
	calls_add(&tally->seen.calls, 1);
	if (!is_sampled() || --tally->skip < 1)
		slot = slots_take(thread, (uintptr_t)frame - SP_BELOW_FRAME, *frame);
	if (!slot) {
		calls_add(&tally->seen.untimed, 1);
		return NULL;
	}
	if (is_sampled())
		gap = tallies_draw_gap(thread, tally);
	slot->tally = tally;
	slot->return_address = *frame;
	slot->children = 0;
	slot->overhead = 0;
	if (!tally->outermost)
		tally->outermost = slot;
	waits_enter(thread, tally, slot);
	slot->entered = entered_at(instant_now(), gap);
	return slot;
}

static void account(struct calls_thread *thread, struct slot *slot, struct tally *tally,
		    uint64_t now)
{
	uint64_t gross = now - time_of_entry(slot), cost = 0, weight = weight_of(slot);
	int64_t net = (int64_t)(gross - slot->overhead - calls_state.inside);
	uint64_t time = net > 0 ? (uint64_t)net : 0;
	struct waits_ended ended = { now, time, gross, weight };
	bool outermost = slot->tally->outermost == slot;
	struct record_calls *seen = &tally->seen;

	if (slot->owner == thread)
		cost = waits_leave(thread, tally, slot, &ended);
	/* A jump out of a signal handler from here on must not count it again. */
	if (outermost)
		slot->tally->outermost = NULL;
	slot->tally = NULL;
	calls_add(&seen->returned, 1);
	calls_add(&seen->sum, time * weight);
	if (!outermost)
		calls_add(&seen->again, time * weight);
	if (time < seen->min)
		seen->min = time;
	if (time > seen->max)
		seen->max = time;
	if (is_sampled()) {
		calls_add(&seen->weight, weight);
		calls_add(&seen->squares, weight * weight);
	} else {
		calls_add((uint64_t *)&seen->self, time - slot->children);
	}
	tallies_add_duration(thread, tally, time, weight);
	/* The slot below is the caller's, or free, or of the coroutine that ran before this one. */
	if (slot->owner == thread) {
		slot[-1].children += time;
		slot[-1].overhead += slot->overhead + calls_state.cost + cost;
	}
}

void calls_leave(struct slot *slot, uint64_t now)
{
	struct calls_thread *thread;
	struct tally *tally;

	if (!now)
		now = instant_now();
	thread = threads_this();
	tally = slots_is_counted(slot) ? slot->tally : NULL;
	if (thread == slot->owner) {
		slots_settle(thread);
	} else if (tally) {
		/* A coroutine that has moved to this thread returns here, so it is counted here. */
		tally = thread ? tallies_alike(thread, tally) : NULL;
	}
	if (tally)
		account(thread, slot, tally, now);
	slots_leave(thread, slot);
}
