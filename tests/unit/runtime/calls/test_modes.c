/* SPDX-License-Identifier: MIT
 *
 * test_modes.c - modes by header.flags and header.clock: counts alone, a part of the calls timed,
 * tallies by caller, and times in nanoseconds.
 */
#include <inttypes.h>
#include <time.h>

#include "../../apart.h"
#include "wrapped.h"

#define NOINLINE     __attribute__((noinline))
#define ALWAYS_TIMED 1024 /* as in tallies.c */
#define GAP_MAX      63

static long (*wleaf)(long), (*wbranch)(long), (*wdown)(long);

NOINLINE static long leaf(long n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

NOINLINE static long branch(long n)
{
	return wleaf(n) + wleaf(n);
}

NOINLINE static long down(long n)
{
	return n == 0 ? 0 : wdown(n - 1) + 1;
}

static void bind_all(uint32_t flags, uint32_t clock)
{
	wrapped_begin_with(flags, clock);
	wleaf = WRAP(leaf);
	wbranch = WRAP(branch);
	wdown = WRAP(down);
}

static void count_only(void)
{
	bind_all(RECORD_COUNT_ONLY, RECORD_CLOCK_TICKS);
	for (long i = 0; i < 1000; i++)
		wbranch(i);
	ok(SEEN(wbranch).calls == 1000 && SEEN(wbranch).untimed == 1000 &&
		   SEEN(wbranch).returned == 0,
	   "calls are counted and not timed");
	ok(SEEN(wleaf).calls == 2000 && SEEN(wleaf).untimed == 2000, "nested calls as well");
	ok(SEEN(wleaf).item.size < sizeof(struct record_calls), "their tallies are short");
	ok(wdown(1000) == 1000 && SEEN(wdown).calls == 1001, "at any depth");
	ok(calls_state.arena_used == 0, "none has taken a slot");
	ok(calls_state.entry.process->inside == 0 && calls_state.entry.process->outside == 0,
	   "and nothing is subtracted");
}

/* Sampled: the gaps are those between timed calls, and their sum is complete. */
static uint64_t octaves_weigh(const void *redirector)
{
	struct tally *tally = tally_here(redirector);
	uint64_t weight = 0;

	for (unsigned octave = 0; octave < RECORD_OCTAVES; octave++)
		for (unsigned bin = octave ? RECORD_BINS : 0;
		     tally->octaves[octave] && bin < 2 * RECORD_BINS; bin++)
			weight += tally->octaves[octave][bin];
	return weight;
}

static void sampled(void)
{
	const uint64_t calls = 200000;
	uint64_t timed = 0, last = 0, longest = 0, shortest = UINT64_MAX;

	bind_all(RECORD_SAMPLE_TIMING, RECORD_CLOCK_TICKS);
	for (uint64_t i = 1; i <= calls; i++) {
		uint64_t before = SEEN(wleaf).returned;

		wleaf(1);
		if (SEEN(wleaf).returned == before)
			continue;
		timed++;
		if (i <= ALWAYS_TIMED) {
			last = i;
			continue;
		}
		if (i - last > longest)
			longest = i - last;
		if (i - last < shortest)
			shortest = i - last;
		last = i;
	}
	ok(SEEN(wleaf).calls == calls && SEEN(wleaf).returned + SEEN(wleaf).untimed == calls,
	   "every call is counted");
	ok(SEEN(wleaf).returned == timed && timed > ALWAYS_TIMED + calls / 32 / 2 &&
		   timed < ALWAYS_TIMED + calls / 32 * 2,
	   "one in 32 or so is timed");
	note("%" PRIu64 " of %" PRIu64 " timed, gaps %" PRIu64 "...%" PRIu64, timed, calls,
	     shortest, longest);
	ok(shortest >= 1 && longest <= GAP_MAX, "no gap is longer than it may be");
	ok(SEEN(wleaf).weight == last, "the timed ones stand for all up to the last of them");
	ok(octaves_weigh((void *)wleaf) == SEEN(wleaf).weight, "so does the histogram");
	ok(slots_in_use() == 0, "no slot is left in use");
}

static void sampled_at_first(void)
{
	bind_all(RECORD_SAMPLE_TIMING, RECORD_CLOCK_TICKS);
	for (int i = 0; i < ALWAYS_TIMED; i++)
		wleaf(i);
	ok(all_returned(SEEN(wleaf), ALWAYS_TIMED) && SEEN(wleaf).weight == ALWAYS_TIMED,
	   "the first calls of a function are all timed");
	ok(octaves_weigh((void *)wleaf) == ALWAYS_TIMED, "and stand for themselves");
}

/* A timed call contains other timed ones of the same function, each with its gap. */
static void sampled_recursion(void)
{
	uint64_t weight, calls;

	bind_all(RECORD_SAMPLE_TIMING, RECORD_CLOCK_TICKS);
	for (int i = 0; i < 2000; i++)
		wdown(100);
	weight = SEEN(wdown).weight;
	calls = SEEN(wdown).calls;
	ok(calls == 2000 * 101 && SEEN(wdown).returned + SEEN(wdown).untimed == calls,
	   "every call of a function that calls itself is counted");
	ok(weight <= calls && calls - weight < GAP_MAX, "the timed ones stand for all of them");
	note("%" PRIu64 " calls, of which %" PRIu64 " timed, stand for %" PRIu64, calls,
	     SEEN(wdown).returned, weight);
	ok(octaves_weigh((void *)wdown) == weight, "so does the histogram");
	/* It is unknown whether a timed call is the outermost, since most are not timed. */
	ok(SEEN(wdown).again > 0, "and it is seen that it calls itself");
}

/* Calls that are not timed belong to no time, so self times are unknown. */
static void sampled_self(void)
{
	bind_all(RECORD_SAMPLE_TIMING, RECORD_CLOCK_TICKS);
	for (int i = 0; i < 10000; i++)
		wbranch(i);
	ok(SEEN(wbranch).sum > 0 && SEEN(wbranch).self == 0 && SEEN(wleaf).self == 0,
	   "there is no own time");
}

static void nanoseconds(void)
{
	struct timespec start, end;
	uint64_t elapsed;

	bind_all(0, RECORD_CLOCK_NS);
	wleaf(0);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (long i = 0; i < 1000; i++)
		wbranch(i);
	clock_gettime(CLOCK_MONOTONIC, &end);
	elapsed =
		(uint64_t)((end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec);
	ok(all_returned(SEEN(wbranch), 1000) && all_returned(SEEN(wleaf), 2001),
	   "on a clock in nanoseconds calls are counted and timed");
	ok(SEEN(wbranch).sum <= elapsed && SEEN(wbranch).max <= elapsed,
	   "they take no longer than by libc's clock");
	/* One call of leaf() was made outside. */
	ok(SEEN(wbranch).self + SEEN(wleaf).self >= (int64_t)SEEN(wbranch).sum,
	   "self times add up");
	ok(wdown(1000) == 1000 &&
		   SEEN(wdown).self == (int64_t)(SEEN(wdown).sum - SEEN(wdown).again),
	   "at any depth");
	ok(calls_state.entry.process->started > 0 &&
		   calls_state.entry.process->started <
			   (uint64_t)end.tv_sec * 1000000000 + (uint64_t)end.tv_nsec,
	   "and the process says when it started on it");
}

/*
 * By caller. The callers are parts of this program, each registered as an object. They differ, or
 * the compiler would merge them; and it must assume that their results matter.
 */
static volatile long results;

#define CALLER(name, more)                                                                         \
	__attribute__((noinline, section(#name "_code"))) static long name(long n)                 \
	{                                                                                          \
		return wleaf(n) + (more);                                                          \
	}                                                                                          \
	extern char __start_##name##_code[], __stop_##name##_code[]

CALLER(first_caller, 1);
CALLER(second_caller, 2);

static uint32_t object_of(const char *path, char *start, char *end)
{
	return dwell_calls_object(&(struct runtime_object){
		.path = path, .soname = "", .start = (uintptr_t)start, .end = (uintptr_t)end });
}

/* Returns what this thread has counted of a function called by this caller. */
static struct record_calls from(uint32_t caller, const void *redirector)
{
	uint32_t function = wrapped_id(redirector);

	for (uint32_t i = 0; i < calls_this->bucket_count; i++)
		for (struct tally *tally = calls_this->buckets[i]; tally; tally = tally->next)
			if (tally->seen.function == function && tally->seen.caller == caller)
				return tally->seen;
	return (struct record_calls){ 0 };
}

static void check_callers(bool timed)
{
	uint32_t first = object_of("/first", __start_first_caller_code, __stop_first_caller_code);
	uint32_t second =
		object_of("/second", __start_second_caller_code, __stop_second_caller_code);
	struct record_calls of_first, of_second, of_unknown;

	for (int i = 0; i < 100; i++) {
		results += first_caller(i);
		results += second_caller(i);
		results += first_caller(i);
	}
	for (int i = 0; i < 10; i++)
		wleaf(i);
	of_first = from(first, (void *)wleaf);
	of_second = from(second, (void *)wleaf);
	of_unknown = from(RECORD_NO_CALLER, (void *)wleaf);
	ok(of_first.calls == 200 && of_second.calls == 100, "calls are counted by who makes them");
	ok(of_unknown.calls == 10, "and those of unknown callers, too");
	ok(timed ? of_first.returned == 200 && of_second.returned == 100
		 : of_first.untimed == 200 && of_second.untimed == 100,
	   timed ? "each is timed" : "none is timed");
	ok(SEEN_BY_ALL(wleaf).calls == 310, "their sum is all there are");
}

static void by_caller(void)
{
	bind_all(RECORD_BY_CALLER, RECORD_CLOCK_TICKS);
	check_callers(true);
	ok(wdown(1000) == 1000 && all_returned(SEEN_BY_ALL(wdown), 1001), "at any depth");
}

static void by_caller_counted(void)
{
	bind_all(RECORD_BY_CALLER | RECORD_COUNT_ONLY, RECORD_CLOCK_TICKS);
	check_callers(false);
	ok(calls_state.arena_used == 0, "none has taken a slot");
}

static void by_caller_on_another_clock(void)
{
	bind_all(RECORD_BY_CALLER, RECORD_CLOCK_NS);
	check_callers(true);
}

static void by_caller_sampled(void)
{
	bind_all(RECORD_BY_CALLER | RECORD_SAMPLE_TIMING, RECORD_CLOCK_TICKS);
	check_callers(true);
}

/* A library is closed, and another one is opened in its place. */
static void another_in_its_place(void)
{
	uint32_t before, after;

	bind_all(RECORD_BY_CALLER, RECORD_CLOCK_TICKS);
	before = object_of("/before", __start_first_caller_code, __stop_first_caller_code);
	for (int i = 0; i < 10; i++)
		results += first_caller(i);
	dwell_calls_forget(before);
	after = object_of("/after", __start_first_caller_code, __stop_first_caller_code);
	for (int i = 0; i < 7; i++)
		results += first_caller(i);
	ok(from(before, (void *)wleaf).calls == 10 && from(after, (void *)wleaf).calls == 7,
	   "a library that is where another one was is not taken for it");
}

/* A tail call passes on its own caller's return address, or that of its stub. */
__attribute__((noinline, section("jumper_code"))) static long jumper(long n)
{
	return wleaf(n);
}
extern char __start_jumper_code[], __stop_jumper_code[];

static void called_by_a_jump(void)
{
	uint32_t object, first;

	bind_all(RECORD_BY_CALLER, RECORD_CLOCK_TICKS);
	first = object_of("/first", __start_first_caller_code, __stop_first_caller_code);
	object = object_of("/jumper", __start_jumper_code, __stop_jumper_code);
	wrapped.object = object;
	wbranch = WRAP(jumper);
	for (int i = 0; i < 10; i++)
		wbranch(i);
	results += first_caller(1);
	ok(from(object, (void *)wleaf).calls == 10,
	   "a function that ends by jumping to another one is its caller");
	ok(from(first, (void *)wleaf).calls == 1, "and no other");
}

int main(void)
{
	apart("count only", count_only);
	apart("sampled", sampled);
	apart("sampled at first", sampled_at_first);
	apart("sampled recursion", sampled_recursion);
	apart("sampled self", sampled_self);
	apart("nanoseconds", nanoseconds);
	apart("by caller", by_caller);
	apart("by caller, counted", by_caller_counted);
	apart("by caller, on another clock", by_caller_on_another_clock);
	apart("by caller, sampled", by_caller_sampled);
	apart("another in its place", another_in_its_place);
	apart("called by a jump", called_by_a_jump);
	return tap_done();
}
