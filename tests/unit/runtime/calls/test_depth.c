/* SPDX-License-Identifier: MIT
 *
 * test_depth.c - more active calls at once than a chunk of slots holds, than the file has stubs
 * for, and than there are slots at all.
 */
#include <inttypes.h>
#include <pthread.h>

#include "../../apart.h"
#include "emulated.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

static long (*wdown)(long), (*wjump_down)(long);

NOINLINE static long down(long n)
{
	return n == 0 ? 0 : wdown(n - 1) + 1;
}

/* Needs slots, but no stack: a gcov counter behind the call would need some. */
NOINLINE __attribute__((no_profile_instrument_function)) static long jump_down(long n)
{
	return n == 0 ? 42 : wjump_down(n - 1);
}

static void bind_all(void)
{
	wrapped_begin();
	wdown = WRAP(down);
	wjump_down = WRAP(jump_down);
	wdown(0);
}

/* Returns whether the time of the outermost is the sum of all self times. */
static bool adds_up(void)
{
	return SEEN(wdown).self == (int64_t)(SEEN(wdown).sum - SEEN(wdown).again);
}

static void check_depth(long depth, uint64_t before)
{
	ok(wdown(depth) == depth, "%ld calls inside each other return as they should", depth);
	ok(all_returned(SEEN(wdown), before + (uint64_t)depth + 1), "each is counted and timed");
	ok(adds_up(), "self times add up to the outermost call");
	ok(slots_in_use() == 0, "no slot is left in use");
}

static void *on_large_stack(void *unused)
{
	uint32_t used;

	check_depth(10000, 0);
	check_depth(1000000, 10001);
	used = calls_state.arena_used;
	ok(wdown(1000000) == 1000000 && calls_state.arena_used == used,
	   "a million once more need no more slots");
	return unused;
}

static void deep(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	bind_all();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)512 << 20);
	if (pthread_create(&thread, &attributes, on_large_stack, NULL)) {
		skip("a million calls inside each other", "there is no stack for them");
		return;
	}
	pthread_join(thread, NULL);
}

static void up_and_down(void)
{
	static const long depths[] = { 1, 500, 3, 62, 63, 64, 10000, 2, 126, 127, 5000, 0 };
	uint64_t calls = 1;
	bool right = true;

	bind_all();
	for (int round = 0; round < 10; round++)
		for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
			right = wdown(depths[i]) == depths[i] && right;
			calls += (uint64_t)depths[i] + 1;
		}
	ok(right && all_returned(SEEN(wdown), calls), "any depth after any other");
	ok(adds_up() && slots_in_use() == 0, "with nothing left over");
}

/* Uses all slots there are, and more. */
static void beyond_all_slots(void)
{
	const long depth = ARENA_SLOTS + 100000;
	struct record_calls seen;

	bind_all();
	ok(wjump_down(depth) == 42, "more calls than there are slots return as they should");
	seen = SEEN(wjump_down);
	ok(seen.calls == (uint64_t)depth + 1 && seen.returned + seen.untimed == seen.calls,
	   "each is counted, if not timed");
	ok(seen.untimed >= 100000 && seen.returned > ARENA_SLOTS * 9 / 10,
	   "most of the slots were of use");
	note("%" PRIu64 " timed, %" PRIu64 " not", seen.returned, seen.untimed);
	ok(slots_in_use() == 0, "no slot is left in use");
	ok(wdown(100) == 100 && all_returned(SEEN(wdown), 102), "afterwards all is as before");
}

int main(void)
{
	apart("up and down", up_and_down);
	if (is_emulated()) {
		skip("deep", "the emulator takes minutes for millions of calls");
		skip("beyond all slots", "the emulator takes minutes for millions of calls");
	} else {
		apart("deep", deep);
		apart("beyond all slots", beyond_all_slots);
	}
	return tap_done();
}
