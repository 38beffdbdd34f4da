/* SPDX-License-Identifier: MIT
 *
 * test_wrapper.c - counts of calls that return: how many, how long, and the self time of each. Sums
 * are compared with sums, so that all of it is exact, however busy the machine is.
 */
#include <inttypes.h>
#include <errno.h>

#include "../../apart.h"
#include "runtime/calls/arena.h"
#include "runtime/calls/put_back.h"
#include "emulated.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

/* The wrapped ones; their functions have the same name without the w. */
static long (*wleaf)(long), (*wbranch)(long), (*wtree)(long), (*wfactorial)(long), (*weven)(long),
	(*wodd)(long), (*wjumper)(long), (*wjumped_to)(long), (*wjump_down)(long);

NOINLINE static long leaf(long n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

/* Calls other wrapped functions, some more often than others. */
NOINLINE static long branch(long n)
{
	return wleaf(n) + wleaf(n + 1);
}

NOINLINE static long tree(long n)
{
	return wleaf(n) + wbranch(n) + wleaf(n) + wbranch(n);
}

NOINLINE static long factorial(long n)
{
	return n < 2 ? 1 : n * wfactorial(n - 1);
}

NOINLINE static long even(long n)
{
	return n == 0 ? 1 : 2 * wodd(n - 1) / 2;
}

NOINLINE static long odd(long n)
{
	return n == 0 ? 0 : 2 * weven(n - 1) / 2;
}

static void simple_calls(void)
{
	long answer = 0;

	wrapped_begin();
	wleaf = WRAP(leaf);
	ok((void *)wleaf != (void *)leaf, "a function is handed out wrapped");
	for (long i = 0; i < 1000; i++)
		answer += wleaf(i);
	ok(answer == 1000 * 1001 / 2, "it does what it did");
	ok(all_returned(SEEN(wleaf), 1000), "a thousand calls are counted, and as many returns");
	ok(SEEN(wleaf).min <= SEEN(wleaf).max && SEEN(wleaf).max <= SEEN(wleaf).sum &&
		   SEEN(wleaf).sum >= 1000 * SEEN(wleaf).min &&
		   SEEN(wleaf).sum <= 1000 * SEEN(wleaf).max,
	   "the mean is between the shortest and the longest");
	ok(SEEN(wleaf).self == (int64_t)SEEN(wleaf).sum && SEEN(wleaf).again == 0,
	   "all of the time is its own");
	ok(slots_in_use() == 0, "no slot is left in use");
	ok(all_returned(SEEN_BY_ALL(wleaf), 1000), "the recording says the same");
}

/* The tally while the function runs. */
static struct record_calls during;

NOINLINE static void look(void)
{
	during = SEEN(wleaf);
}

static void calls_under_way(void)
{
	void (*wlook)(void);

	wrapped_begin();
	wlook = WRAP(look);
	wleaf = (long (*)(long))wlook;
	wlook();
	ok(during.calls == 1 && during.returned == 0, "a call is counted when it begins");
	ok(SEEN(wlook).calls == 1 && SEEN(wlook).returned == 1, "and its return when it ends");
}

static void nested_calls(void)
{
	wrapped_begin();
	wleaf = WRAP(leaf);
	wbranch = WRAP(branch);
	wtree = WRAP(tree);
	for (long i = 0; i < 100; i++)
		wtree(i);
	ok(all_returned(SEEN(wtree), 100) && all_returned(SEEN(wbranch), 200) &&
		   all_returned(SEEN(wleaf), 600),
	   "functions that call each other are counted, each of them");
	ok(SEEN(wleaf).self == (int64_t)SEEN(wleaf).sum, "the time of the innermost is its own");
	/*
	 * The leaves in branch() are twice as many as tree()'s own. They cannot be told apart, but
	 * the sum of all self times is the time of the outermost.
	 */
	ok(SEEN(wleaf).self + SEEN(wbranch).self + SEEN(wtree).self == (int64_t)SEEN(wtree).sum,
	   "self times add up to the time of the outermost call");
	ok(SEEN(wtree).self < (int64_t)SEEN(wtree).sum - (int64_t)SEEN(wbranch).sum,
	   "and the leaves of the outermost are not its own either");
	ok(SEEN(wtree).again + SEEN(wbranch).again + SEEN(wleaf).again == 0,
	   "none contains itself");
}

static void recursion(void)
{
	uint64_t outermost;

	wrapped_begin();
	wfactorial = WRAP(factorial);
	ok(wfactorial(10) == 3628800, "a function that calls itself does what it did");
	ok(all_returned(SEEN(wfactorial), 10), "each of its calls is counted");
	outermost = SEEN(wfactorial).last;
	ok(SEEN(wfactorial).sum - SEEN(wfactorial).again == outermost,
	   "without those inside others, there is the outermost");
	ok(SEEN(wfactorial).self == (int64_t)outermost, "and all of it is the function's own");
	wfactorial(1);
	ok(SEEN(wfactorial).sum - SEEN(wfactorial).again == outermost + SEEN(wfactorial).last,
	   "the next one is on its own again");
}

static void mutual_recursion(void)
{
	wrapped_begin();
	weven = WRAP(even);
	wodd = WRAP(odd);
	ok(weven(9) == 0, "two functions that call each other do what they did");
	ok(all_returned(SEEN(weven), 5) && all_returned(SEEN(wodd), 5), "each call is counted");
	ok(SEEN(weven).sum - SEEN(weven).again == SEEN(weven).last &&
		   SEEN(wodd).sum - SEEN(wodd).again == SEEN(wodd).last,
	   "of each, the outermost contains the others");
	ok(SEEN(weven).self + SEEN(wodd).self == (int64_t)SEEN(weven).last,
	   "self times add up to the outermost call");
}

/* Functions that end with a tail call. */
static bool has_jumped;

NOINLINE static long jumped_to(long n)
{
	const struct slot *slot = calls_this->top - 1;

	has_jumped = slot->return_address == arena_stub_return(slot - 1);
	return n + 1;
}

NOINLINE static long jumper(long n)
{
	return wjumped_to(n);
}

NOINLINE static long jump_down(long n)
{
	return n == 0 ? 42 : wjump_down(n - 1);
}

static void tail_calls(void)
{
	wrapped_begin();
	wjumper = WRAP(jumper);
	wjumped_to = WRAP(jumped_to);
	wjump_down = WRAP(jump_down);
	ok(wjumper(1) == 2, "a function that ends by jumping to another returns its result");
	if (!has_jumped) {
		skip("a function that ends by a jump", "the compiler has made it a call");
		return;
	}
	for (long i = 1; i < 100; i++)
		wjumper(i);
	ok(all_returned(SEEN(wjumper), 100) && all_returned(SEEN(wjumped_to), 100),
	   "both are counted, and both return");
	ok(SEEN(wjumper).self == (int64_t)(SEEN(wjumper).sum - SEEN(wjumped_to).sum),
	   "the one contains the other");
	ok(wjump_down(1000) == 42 && all_returned(SEEN(wjump_down), 1001),
	   "a function that jumps to itself a thousand times returns as often");
	ok(SEEN(wjump_down).sum - SEEN(wjump_down).again == SEEN(wjump_down).last &&
		   SEEN(wjump_down).self == (int64_t)SEEN(wjump_down).last,
	   "each inside the one before");
	ok(slots_in_use() == 0, "no slot is left in use");
}

/* A chunk of slots ends at depth 63, the next at 126; no time may be lost in between. */
static void across_chunks(void)
{
	static const long depths[] = {
		62, 63, 64, 65, 125, 126, 127, 128, 129, 252, 253, 254, 1000
	};
	bool returned = true, adds_up = true;
	uint64_t calls = 0;

	wrapped_begin();
	wfactorial = WRAP(factorial);
	wleaf = WRAP(leaf);
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		struct record_calls before = SEEN(wfactorial), seen;
		uint64_t outermost, own;

		wfactorial(depths[i]);
		calls += (uint64_t)depths[i];
		seen = SEEN(wfactorial);
		returned = returned && all_returned(seen, calls);
		outermost = seen.sum - seen.again - (before.sum - before.again);
		own = (uint64_t)(seen.self - before.self);
		if (outermost != seen.last || own != seen.last) {
			note("depth %ld: the outermost took %" PRIu64 " or %" PRIu64 ", %" PRIu64
			     " are self times",
			     depths[i], seen.last, outermost, own);
			adds_up = false;
		}
	}
	ok(returned, "calls are counted at any depth");
	ok(adds_up, "at any depth, what is their own adds up to the outermost");
	ok(slots_in_use() == 0, "no slot is left in use");
}

/* A short wrapped call by the innermost one, again and again at the end of a chunk. */
NOINLINE static long factorial_with_leaves(long n)
{
	long sum = 0;

	for (int i = 0; i < 3; i++)
		sum += wleaf(n);
	return n < 2 ? sum : sum + wbranch(n - 1);
}

static void at_the_end_of_a_chunk(void)
{
	bool adds_up = true;

	wrapped_begin();
	wleaf = WRAP(leaf);
	wbranch = WRAP(factorial_with_leaves);
	for (long depth = 60; depth < 68; depth++) {
		struct record_calls before = SEEN(wbranch), leaves = SEEN(wleaf);
		int64_t contained, own;

		wbranch(depth);
		contained = (int64_t)(SEEN(wbranch).sum - SEEN(wbranch).again -
				      (before.sum - before.again));
		own = SEEN(wbranch).self - before.self + SEEN(wleaf).self - leaves.self;
		if (contained != own) {
			note("depth %ld: the outermost took %ld, of which %ld are self times",
			     depth, (long)contained, (long)own);
			adds_up = false;
		}
	}
	ok(adds_up, "also where calls go to and fro over the end of a chunk");
}

/* Some inspect their caller, and are tail-called with its return address. */
static const void *seen_caller;

NOINLINE static void look_at_caller(void)
{
	seen_caller = __builtin_return_address(0);
}

static void only_counted(void)
{
	void (*wlook)(void);

	wrapped_begin();
	wlook = (void (*)(void))wrap_as((void *)look_at_caller, "look_at_caller", RECORD_COUNTED);
	for (int i = 0; i < 10; i++)
		wlook();
	ok(SEEN(wlook).calls == 10 && SEEN(wlook).untimed == 10 && SEEN(wlook).returned == 0,
	   "a function that must see its caller is only counted");
	ok(seen_caller && !arena_slot_of((uintptr_t)seen_caller), "it does see it");
	ok(SEEN(wlook).sum == 0 && SEEN(wlook).min == UINT64_MAX, "and it has no times");
}

NOINLINE static int errno_changer(int value)
{
	int before = errno;

	errno = value;
	return before;
}

static void errno_is_kept(void)
{
	int (*wrapped_changer)(int);
	bool kept = true;

	wrapped_begin();
	wrapped_changer = WRAP(errno_changer);
	/* The first call starts the runtime and opens files; others do not. */
	for (int i = 0; i < 100; i++) {
		errno = 1000 + i;
		kept = wrapped_changer(2000 + i) == 1000 + i && errno == 2000 + i && kept;
	}
	ok(kept, "errno is as the caller left it inside, and as the function left it outside");
}

/* The cost of the calls inside a call, each once, however they are nested. */
static uint64_t cost_inside;

NOINLINE static long nest_and_look(long n)
{
	wtree(n);
	wfactorial(20);
	cost_inside = calls_this->top[-1].overhead;
	return n;
}

static void check_cost_inside(uint32_t clock)
{
	/* tree() itself, two branches, six leaves; 20 of factorial(). */
	const uint64_t calls = 1 + 2 + 6 + 20;
	long (*wnest)(long);

	wrapped_begin_with(0, clock);
	wleaf = WRAP(leaf);
	wbranch = WRAP(branch);
	wtree = WRAP(tree);
	wfactorial = WRAP(factorial);
	wnest = WRAP(nest_and_look);
	/* After a long call, which an interrupted one is, others are measured as well: see waits.h.
	 */
	calls_state.long_ticks = UINT64_MAX;
	for (int i = 0; i < 2; i++) /* the first call of each makes its tally */
		wnest(1);
	/* An emulator's counter may stand while a call is wrapped. */
	ok((calls_state.cost > 0 || is_emulated()) && cost_inside == calls * calls_state.cost,
	   "a call is charged with what wrapping the %" PRIu64 " inside it costs", calls);
	if (cost_inside != calls * calls_state.cost)
		note("%" PRIu64 ", not %" PRIu64, cost_inside, calls * calls_state.cost);
}

static void cost_of_nested_calls(void)
{
	check_cost_inside(RECORD_CLOCK_TICKS);
}

static void cost_of_nested_calls_in_c(void)
{
	check_cost_inside(RECORD_CLOCK_NS);
}

/*
 * The time of a function that calls another a thousand times, less that of those calls: without the
 * cost of wrapping them, it is that of a loop.
 */
NOINLINE static long loop(long n)
{
	for (long i = 0; i < n; i++)
		wleaf(i);
	return n;
}

static bool cost_is_subtracted(void)
{
	const long times = 1000;
	int64_t best = INT64_MAX;

	for (int i = 0; i < 200; i++) {
		int64_t before = SEEN(wbranch).self;

		wbranch(times);
		if (SEEN(wbranch).self - before < best)
			best = SEEN(wbranch).self - before;
	}
	note("a wrapped call costs %" PRIu64 " ticks; %ld of them stay with the caller",
	     calls_state.cost, (long)(best / times));
	return best < times * (int64_t)calls_state.cost / 2 &&
	       best > -times * (int64_t)calls_state.cost / 2;
}

static void cost(void)
{
	wrapped_begin();
	wleaf = WRAP(leaf);
	wbranch = WRAP(loop);
	wbranch(1);
	ok(calls_state.cost > 0 && calls_state.inside <= calls_state.cost,
	   "the overhead of a wrapped call has been measured");
	ok(calls_state.entry.process->inside == calls_state.inside &&
		   calls_state.entry.process->inside + calls_state.entry.process->outside ==
			   calls_state.cost,
	   "and is in the recording");
	if (is_emulated())
		skip("the caller's own",
		     "the cost of calls in an emulator depends on the code translated so far");
	else
		ok_in_three(cost_is_subtracted,
			    "no more than half of it is taken for the caller's own");
}

static void (*wuntime)(bool), (*wcall_it)(void);

/* Gives up the times of all active calls, as a runtime without a clock does. */
NOINLINE static void untime_all(void)
{
	volatile char far_below[256]; /* the frame of our caller */

	far_below[0] = 0;
	put_back_stack(calls_this, (uintptr_t)far_below);
}

NOINLINE static void untime(bool now)
{
	if (now)
		untime_all();
	__asm__ volatile("" ::: "memory");
}

/* Takes the slot of the previous call, so that its callee gets another one. */
NOINLINE static void call_it(void)
{
	wuntime(false);
}

static void untimed(void)
{
	wrapped_begin();
	wcall_it = WRAP(call_it);
	wuntime = WRAP(untime);
	wuntime(true);
	if (!ARCH_RETURN_ON_STACK) {
		skip("calls without times", "the return address is in a register");
		return;
	}
	ok(SEEN(wuntime).calls == 1 && SEEN(wuntime).untimed == 1 && !SEEN(wuntime).returned,
	   "a call that loses its time returns to its caller");
	ok(slots_in_use() == 0, "and gives its slot back");
	wcall_it();
	ok(SEEN(wuntime).returned == 1 && SEEN(wuntime).again == 0,
	   "the next one is inside no other");
}

int main(void)
{
	apart("simple calls", simple_calls);
	apart("calls under way", calls_under_way);
	apart("nested calls", nested_calls);
	apart("recursion", recursion);
	apart("mutual recursion", mutual_recursion);
	apart("tail calls", tail_calls);
	apart("across chunks", across_chunks);
	apart("at the end of a chunk", at_the_end_of_a_chunk);
	apart("only counted", only_counted);
	apart("untimed", untimed);
	apart("errno", errno_is_kept);
	apart("cost of nested calls", cost_of_nested_calls);
	apart("cost of nested calls, in C", cost_of_nested_calls_in_c);
	apart("cost", cost);
	return tap_done();
}
