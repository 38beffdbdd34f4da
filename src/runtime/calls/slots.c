/* SPDX-License-Identifier: MIT */
#include "slots.h"

#include "arena.h"
#include "base/invariant.h"
#include "left.h"
#include "state.h"

/* Slots of other stacks to skip in search of abandoned ones. */
#define PASS_MAX 32
/* Slots to examine in search of a free one. */
#define HAND_STEPS 16
/* The cost in steps of a thorough look at a slot, which takes a system call. */
#define THOROUGH_STEPS 4

/* The tally of calls that were active when the process was forked. It is never read, and since it
 * has no octaves the wrapper leaves such calls to C. */
static struct tally disowned;

struct tally *slots_tally(const struct slot *slot)
{
	/* A coroutine that has moved to another thread may return there meanwhile. */
	struct tally *tally = __atomic_load_n(&slot->tally, __ATOMIC_RELAXED);

	return tally != &disowned ? tally : NULL;
}

bool slots_is_counted(const struct slot *slot)
{
	return slots_tally(slot);
}

/* ---- chunks ---- */

/* Returns whether the invariant of struct slot holds at the top, and top and limit belong to the
 * thread's chunk. */
static bool is_sound(const struct calls_thread *thread)
{
	const struct chunk *chunk = &thread->chunks[thread->chunk];

	if (!thread->chunk_count)
		return true;
	return thread->chunk < thread->chunk_count && thread->limit == chunk->limit &&
	       thread->top >= chunk->first && thread->top <= chunk->limit &&
	       (thread->top == chunk->limit || thread->top->sp == (uintptr_t)SP_NOBODY);
}

/* Sets the end of the slots in use to `top` in chunk `number`. Called with signals blocked: a
 * handler must not see half of that. */
static void go_to(struct calls_thread *thread, unsigned number, struct slot *top)
{
	thread->chunk = number;
	thread->top = top;
	thread->limit = thread->chunks[number].limit;
}

/* Returns whether only the first slot of the chunk is left, and it is free. */
static bool is_over(const struct calls_thread *thread)
{
	const struct slot *first = thread->chunks[thread->chunk].first;

	return thread->chunk && thread->top == first + 1 && first->sp == SP_LEFT;
}

/*
 * Frees the first slot of a chunk, and goes back to the chunk below. Both at once: a signal handler
 * that goes on to a chunk comes back from it, and to no other place, so that code which it has
 * interrupted may have read top and limit before. The handler may have been quicker here.
 *
 * Time handed down by the first slot belongs to the last one of the chunk below.
 */
static void leave_chunk(struct calls_thread *thread)
{
	sys_sigset mask = state_block_signals();
	struct chunk *chunk = &thread->chunks[thread->chunk];

	if (is_over(thread)) {
		left_forget(chunk->first);
		chunk->first->sp = (uintptr_t)SP_NOBODY;
		chunk[-1].limit[-1].children += chunk->first[-1].children;
		chunk[-1].limit[-1].overhead += chunk->first[-1].overhead;
		chunk->first[-1].children = chunk->first[-1].overhead = 0;
		go_to(thread, thread->chunk - 1, chunk[-1].limit);
	}
	state_restore_signals(mask);
}

/* Frees slots at the top, down to `last`. A signal handler may do the same meanwhile, and more. */
static void remove_left(struct calls_thread *thread, const struct slot *last)
{
	struct slot *top = thread->top;

	while (top > last && top[-1].sp == SP_LEFT) {
		left_forget(top - 1);
		top[-1].sp = (uintptr_t)SP_NOBODY;
		if (__atomic_compare_exchange_n(&thread->top, &top, top - 1, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			top--;
	}
}

void slots_settle(struct calls_thread *thread)
{
	for (;;) {
		unsigned number = thread->chunk;

		remove_left(thread, thread->chunks[number].first + (number > 0));
		if (!is_over(thread))
			break;
		leave_chunk(thread);
	}
	DWELL_ASSERT(is_sound(thread));
}

/* Returns the steps to examine all slots of the thread once, and once more thoroughly. */
static uint32_t steps_for_all(const struct calls_thread *thread)
{
	return (1 + THOROUGH_STEPS) * arena_chunk_begin(thread->chunk_count);
}

/* Adds credit: so many calls pay for a few steps each; the thread saves up at most twice what it
 * may need. */
static void give_credit(struct calls_thread *thread, uint32_t calls)
{
	uint32_t most = 2 * steps_for_all(thread), more = calls * HAND_STEPS;

	thread->credit = more < most - thread->credit ? thread->credit + more : most;
}

/* Goes on to the next chunk. Called with signals blocked. */
static bool next_chunk(struct calls_thread *thread)
{
	unsigned next = thread->chunk_count ? thread->chunk + 1 : 0;
	struct chunk *chunk = &thread->chunks[next];

	if (next == thread->chunk_count) {
		if (next == CHUNKS_MAX || !arena_chunk(thread, chunk, next))
			return false;
		thread->chunk_count++;
		thread->credit = steps_for_all(thread);
	}
	/* The slot before the first stands for the one below it, so that the wrapper notices when
	 * that is gone. */
	if (next)
		chunk->first[-1].sp = chunk[-1].limit[-1].sp;
	go_to(thread, next, chunk->first);
	return true;
}

/* ---- slots whose calls are over ---- */

/* Gives up slots from the top whose frames are gone. Skips slots of other stacks, up to a bound:
 * slots behind them are found by the hand. */
static void take_down(struct calls_thread *thread, const struct look *look)
{
	bool live = false;
	int passed = 0;

	for (unsigned i = thread->chunk + 1; i-- > 0 && !live && passed < PASS_MAX;) {
		struct chunk *chunk = &thread->chunks[i];
		struct slot *slot = i == thread->chunk ? thread->top : chunk->limit;

		while (slot-- > chunk->first && !live && passed < PASS_MAX) {
			bool was_free = slot->sp == SP_LEFT;

			live = left_is_live(look, slot);
			/* A slot that is given up was taken once, which has paid for it. */
			passed += was_free || slot->sp != SP_LEFT;
		}
	}
	slots_settle(thread);
}

/*
 * Takes a slot among those in use. When a call returns, its time goes to the slot below; so the one
 * taken has free ones on both sides, which stay free for as long: it neither gets the time of a
 * call of another stack, nor does such a call get its own.
 *
 * A signal handler may do the same meanwhile. Each takes first and checks the neighbours then, so
 * that one of two sees the other.
 */
static bool claim(struct slot *slot)
{
	uintptr_t expected = SP_LEFT;

	if (slot[-1].sp != SP_LEFT || slot[1].sp != SP_LEFT ||
	    !__atomic_compare_exchange_n(&slot->sp, &expected, (uintptr_t)SP_NOBODY, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&slot[-1].sp, __ATOMIC_RELAXED) == SP_LEFT &&
	    __atomic_load_n(&slot[1].sp, __ATOMIC_RELAXED) == SP_LEFT) {
		left_close_record(slot);
		return true;
	}
	slot->sp = SP_LEFT;
	return false;
}

/* Moves the thread's hand to its next slot, and from the last one back to the first. Chunk i
 * contains the hand. */
static struct slot *next_at_hand(struct calls_thread *thread, unsigned *chunk)
{
	uint32_t number = thread->hand + 1;
	unsigned i = arena_chunk_of(number);
	struct slot *slot;

	if (i > thread->chunk ||
	    (i == thread->chunk &&
	     number - arena_chunk_begin(i) >= (size_t)(thread->top - thread->chunks[i].first) + 1))
		number = i = 0;
	thread->hand = number;
	slot = thread->chunks[i].first - 1 + (number - arena_chunk_begin(i));
	*chunk = i;
	return slot;
}

/* Examines the next slots, in any order, gives up those whose frames are gone, and takes a free
 * one. NULL: there was none. All slots have their turn, so that none is left for ever. */
static struct slot *take_at_hand(struct calls_thread *thread, const struct look *look,
				 uint32_t *steps)
{
	for (; *steps > 0; --*steps) {
		unsigned i;
		struct slot *slot = next_at_hand(thread, &i), *first = thread->chunks[i].first;

		/* The one before the first is never taken, whatever it contains. */
		if (slot < first)
			continue;
		left_is_live(look, slot);
		if (slot >= first + 2 && claim(slot - 1))
			return slot - 1;
	}
	return NULL;
}

/* ---- the interface ---- */

/* Returns whether the thread's last slot is of another stack than a call at sp, or its frame is
 * gone. */
static bool is_apart(const struct calls_thread *thread, uintptr_t sp, uintptr_t return_address)
{
	const struct slot *last = thread->top - 1;

	/* A function that tail-called another has the same sp, and is still there. */
	return thread->chunk_count && last->sp <= sp &&
	       !(last->sp == sp && return_address == arena_stub_return(last));
}

/* Returns whether there is no room at the top, and none has been made yet. */
static bool is_full(const struct calls_thread *thread)
{
	return thread->chunk_count && thread->top == thread->limit &&
	       thread->chunk + 1 == thread->chunk_count;
}

/* Gives up all slots whose frames are gone, of other stacks as well. */
static void look_at_all(struct calls_thread *thread, struct look *look, uint32_t all)
{
	look->thorough = true;
	for (; all > 0; all--) {
		unsigned i;
		struct slot *slot = next_at_hand(thread, &i);

		if (slot >= thread->chunks[i].first)
			left_is_live(look, slot);
	}
}

/*
 * Takes a slot below the top rather than make another chunk. All slots may be examined for that,
 * and if none is free, all once more and thoroughly. Making a chunk takes as many steps, and gives
 * credit for them; otherwise each call that comes here has credit for a few. So the average time of
 * a call does not depend on how many are active, and if that does not find enough free slots, most
 * are in use.
 */
static struct slot *take_if_full(struct calls_thread *thread, struct look *look)
{
	uint32_t all = arena_chunk_begin(thread->chunk_count);
	uint32_t steps = thread->credit < all ? thread->credit : all;
	struct slot *slot;

	thread->credit -= steps;
	slot = take_at_hand(thread, look, &steps);
	thread->credit += steps;
	if (slot || thread->credit < THOROUGH_STEPS * all)
		return slot;
	thread->credit -= THOROUGH_STEPS * all;
	look_at_all(thread, look, all);
	slots_settle(thread);
	/* As many calls as there are free slots at the top come before it is full again. */
	give_credit(thread, all - arena_chunk_begin(thread->chunk) -
				    (uint32_t)(thread->top - thread->chunks[thread->chunk].first));
	return is_full(thread) ? take_at_hand(thread, look, &all) : NULL;
}

/* Takes a slot below the top, for a call of another stack than the last one; or if the top cannot
 * grow. NULL: take the one at the top. */
__attribute__((noinline)) static struct slot *take_below(struct calls_thread *thread, uintptr_t sp,
							 uintptr_t return_address)
{
	struct look look = left_look(thread, sp, return_address);
	uint32_t steps = HAND_STEPS;
	struct slot *slot = NULL;

	take_down(thread, &look);
	give_credit(thread, 1);
	if (is_apart(thread, sp, return_address))
		slot = take_at_hand(thread, &look, &steps);
	return slot || !is_full(thread) ? slot : take_if_full(thread, &look);
}

/* Takes the first slot of the next chunk. Both at once, as in leave_chunk(). */
__attribute__((noinline)) static struct slot *take_in_next_chunk(struct calls_thread *thread)
{
	sys_sigset mask = state_block_signals();
	struct slot *slot = next_chunk(thread) ? thread->top++ : NULL;

	state_restore_signals(mask);
	return slot;
}

/* A signal handler finds the slot taken or not; it may free others below it. */
static struct slot *take_top(struct calls_thread *thread)
{
	struct slot *slot = thread->top;

	DWELL_ASSERT(is_sound(thread));
	do {
		if (slot == thread->limit)
			return take_in_next_chunk(thread);
	} while (!__atomic_compare_exchange_n(&thread->top, &slot, slot + 1, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return slot;
}

struct slot *slots_take(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address)
{
	struct slot *slot = NULL;

	if (is_apart(thread, sp, return_address) || is_full(thread))
		slot = take_below(thread, sp, return_address);
	if (!slot)
		slot = take_top(thread);
	if (slot)
		left_replace(thread, slot, sp, return_address);
	return slot;
}

/* Returns the slot before one of the thread's, which may be in the chunk below; NULL: there is
 * none. */
static const struct slot *slot_before(const struct calls_thread *thread, const struct slot *slot,
				      unsigned *chunk)
{
	if (slot == thread->chunks[*chunk].first) {
		if (*chunk == 0)
			return NULL;
		slot = thread->chunks[--*chunk].limit;
	}
	return slot - 1;
}

/*
 * Returns the order of frames by their addresses, as if the thread's own stack were the highest of
 * all: what resumes a coroutine is mostly on that one. Mapped memory may be above it.
 */
static uintptr_t height(const struct calls_thread *thread, uintptr_t sp)
{
	return sp - thread->stack_bound;
}

/* Returns whether the slot is of a call under way whose frame is higher than sp, or of one that has
 * jumped to what returns to its stub. */
static bool is_above(const struct calls_thread *thread, const struct slot *slot, uintptr_t sp,
		     uintptr_t return_address)
{
	if (!slot->tally || slot->sp <= SP_ESCAPED || slot->sp == (uintptr_t)SP_NOBODY)
		return false;
	return height(thread, slot->sp) > height(thread, sp) ||
	       (slot->sp == sp && return_address == arena_stub_return(slot));
}

/* The last slot is mostly the one. If it is about to be filled, was left, or is of another stack,
 * takes the nearest frame among the slots before it, up to a bound. */
const struct slot *slots_caller(struct calls_thread *thread, uintptr_t sp, uintptr_t return_address)
{
	const struct slot *slot, *nearest = NULL;
	unsigned chunk;

	if (!thread->chunk_count)
		return NULL;
	if (is_apart(thread, sp, return_address)) {
		struct look look = left_look(thread, sp, return_address);

		take_down(thread, &look);
	}
	chunk = thread->chunk;
	slot = slot_before(thread, thread->top, &chunk);
	if (slot && is_above(thread, slot, sp, return_address))
		return slot;
	for (int passed = 0; slot && passed < PASS_MAX; passed++) {
		if (is_above(thread, slot, sp, return_address) &&
		    (!nearest || height(thread, slot->sp) < height(thread, nearest->sp)))
			nearest = slot;
		slot = slot_before(thread, slot, &chunk);
	}
	return nearest;
}

void slots_leave(struct calls_thread *thread, struct slot *slot)
{
	uintptr_t sp = slot->sp;

	if (slot->owner != thread) {
		/* A coroutine that has moved here from another thread: that one settles it. */
		__atomic_store_n(&slot->sp, SP_LEFT, __ATOMIC_RELEASE);
		return;
	}
	left_forget(slot);
	if (slot + 1 == thread->top) {
		slots_settle(thread);
	} else {
		struct look look = left_look(thread, sp, slot->return_address);

		take_down(thread, &look);
	}
}

void slots_escape(struct slot *slot)
{
	if (slot->tally)
		calls_add(&slot->tally->seen.escaped, 1);
	left_close_record(slot);
	slot->entered = slot->sp;
	slot->sp = SP_ESCAPED;
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

/* Gives up a slot of a thread that has ended. Its whole stack is gone, and may not even be mapped
 * any more, so that its address is unknown. */
static void give_up(struct calls_thread *thread, struct slot *slot)
{
	if (slot->sp == SP_ESCAPED || own_stack_was(thread, left_frame_of(slot)) ||
	    (slot->sp != SP_LEFT && slot->sp != (uintptr_t)SP_NOBODY && left_is_overwritten(slot)))
		left_abandon(slot);
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
	slot->tally = &disowned;
}

void slots_disown(struct calls_thread *thread)
{
	for_each(thread, disown);
}
