/* SPDX-License-Identifier: MIT
 *
 * test_callers.c - the numbers of callers: call sites in their files, once each, up to a bound, and
 * in children of fork().
 */
#include <elf.h>
#include <link.h>

#include "../../apart.h"
#include "emulated.h"
#include "runtime/calls/call_site.h"
#include "runtime/calls/callers.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

extern const ElfW(Ehdr) __ehdr_start;
extern char _end[];

static long (*wleaf)(long);

NOINLINE static long leaf(long n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

/* Callers differ, or the compiler would merge them. */
NOINLINE static long first(long n)
{
	return wleaf(n) + 1;
}

NOINLINE static long second(long n)
{
	return wleaf(n) + wleaf(n + 1) + 2;
}

static void begin(void)
{
	wrapped_begin_with(RECORD_BY_CALLER | RECORD_BY_SITE, RECORD_CLOCK_TICKS);
	dwell_calls_object(&(struct runtime_object){ .path = "/proc/self/exe",
						     .soname = "",
						     .start = (uintptr_t)&__ehdr_start,
						     .end = (uintptr_t)_end });
	wleaf = WRAP(leaf);
}

/* Calls f for each caller in the recording of a process. */
static void each_caller(uint64_t process, void (*f)(const struct record_caller *, void *),
			void *argument)
{
	size_t size;
	const char *bytes = recording_map(&size);
	const struct record_segment *segment = NULL;

	while ((segment = recording_next(bytes, size, segment))) {
		const struct record_item *item = NULL;

		if (segment->kind != RECORD_NAMES || segment->owner != process)
			continue;
		while ((item = item_next(segment, item)))
			if (item->kind == RECORD_CALLER)
				f((const struct record_caller *)item, argument);
	}
	munmap((void *)bytes, size);
}

/* Callers within a function, and all. */
struct tally_of {
	uint64_t start, end; /* offsets in the file */
	uint32_t inside, all;
	uint32_t build_id_size;
};

static void count(const struct record_caller *caller, void *argument)
{
	struct tally_of *tally = argument;

	tally->all++;
	tally->inside += caller->address > tally->start && caller->address <= tally->end;
	tally->build_id_size = caller->build_id_size;
}

/* Returns the callers within a function that is at most so long. */
static struct tally_of callers_in(long (*function)(long))
{
	struct record_caller place = { 0 };
	struct tally_of tally = { 0 };

	if (!call_site_find(&place, (uintptr_t)&__ehdr_start, (uintptr_t)function))
		bail_out("the test is not in its own file");
	tally.start = place.address;
	tally.end = place.address + 96;
	each_caller(calls_state.entry.segment, count, &tally);
	return tally;
}

static void sites(void)
{
	struct tally_of one, two;

	begin();
	for (int i = 0; i < 100; i++) {
		first(i);
		second(i);
	}
	one = callers_in(first);
	two = callers_in(second);
	ok(one.all == 3, "each call site is recorded once");
	ok(one.inside >= 1 && two.inside >= 2, "by its place in the file");
	ok(one.build_id_size == 20, "with the build-id of the file");
	ok(SEEN_BY_ALL(wleaf).calls == 300, "all calls are counted");
}

/* In no object, as code that a JIT has made: the address is the place. */
static void bound(void)
{
	const uintptr_t made = 0x10000;
	uint32_t wrong = 0, last;

	begin();
	for (uintptr_t i = 0; i < CALLERS_MAX; i++)
		wrong += callers_of_site(made + i, 0) != (RECORD_CALLER_BIT | (uint32_t)i);
	ok(wrong == 0, "callers are numbered from 0");
	ok(callers_of_site(made + CALLERS_MAX, 0) == RECORD_NO_CALLER,
	   "one beyond the bound has no number");
	last = callers_of_site((uintptr_t)begin + 1, 0);
	ok(last != RECORD_NO_CALLER && !(last & RECORD_CALLER_BIT),
	   "or that of its object, if it is in one");
	for (uintptr_t i = 0; i < CALLERS_MAX; i++)
		wrong += callers_of_site(made + i, 0) != (RECORD_CALLER_BIT | (uint32_t)i);
	ok(wrong == 0, "the ones before it are still found");
	callers_reset();
	ok(callers_of_site(made + CALLERS_MAX, 0) == RECORD_CALLER_BIT,
	   "after all are forgotten, numbers begin anew");
}

/* A call site has a number for each function of a script that runs it. */
static void scripted(void)
{
	const uintptr_t site = 0x10000;
	const uint64_t one = RECORD_SCRIPTS_START + 17, other = RECORD_SCRIPTS_START + 65;
	uint32_t wrong = 0, number;

	begin();
	ok(callers_of_site(site, one) == (RECORD_CALLER_BIT | 1) &&
		   callers_of_site(site, other) == (RECORD_CALLER_BIT | 3),
	   "functions of scripts are callers, and so are call sites in them");
	ok(callers_of_site(site + 1, one) == (RECORD_CALLER_BIT | 4) &&
		   callers_of_site(site, one) == (RECORD_CALLER_BIT | 1),
	   "a function has a number once");
	ok(callers_of_site(site, 0) == (RECORD_CALLER_BIT | 5), "without a script, it is another");
	for (uintptr_t i = 6; i < CALLERS_PAIRED; i++)
		wrong += callers_of_site(site + i, one) != (RECORD_CALLER_BIT | (uint32_t)i);
	ok(wrong == 0 && callers_of_site(site + CALLERS_PAIRED, one) == RECORD_CALLER_BIT,
	   "beyond a bound, the function stands for its call sites");
	ok(callers_of_site(site + 1, one) == (RECORD_CALLER_BIT | 4), "known ones are still found");
	number = callers_of_site(site, RECORD_SCRIPTS_START + 129);
	ok(number == (RECORD_CALLER_BIT | CALLERS_PAIRED), "further functions have numbers");
}

static void forked(void)
{
	struct tally_of seen = { 0 };
	int status;
	pid_t child;

	begin();
	first(1);
	child = fork();
	if (child == 0) {
		second(1);
		each_caller(calls_state.entry.segment, count, &seen);
		_exit(seen.all == 2 && callers_of_site(0x10000, 0) == (RECORD_CALLER_BIT | 3) ? 0
											      : 1);
	}
	waitpid(child, &status, 0);
	ok(status == 0, "a child records its own callers, and continues the numbers");
	ok(callers_of_site(0x10000, 0) == (RECORD_CALLER_BIT | 1), "so does its parent");
	ok(recording_is_sound(), "every segment has its owner");
}

/* A function that ends by a jump to another has left no return address of its own. */
static long (*wjumper)(long);

NOINLINE static long jumper(long n)
{
	return wleaf(n);
}

static void find_function(const struct record_caller *caller, void *argument)
{
	if (caller->function == wrapped_id((const void *)wjumper))
		*(uint32_t *)argument = caller->id;
}

static void jump(void)
{
	uint32_t caller = 0;

	begin();
	wjumper = WRAP(jumper);
	for (int i = 0; i < 10; i++)
		wjumper(i);
	each_caller(calls_state.entry.segment, find_function, &caller);
	ok(caller & RECORD_CALLER_BIT, "the caller of a tail call is the function that jumped");
}

int main(void)
{
	apart("sites", sites);
	apart("bound", bound);
	apart("scripted", scripted);
	if (wipes_on_fork())
		apart("forked", forked);
	else
		skip("forked", NO_WIPE);
	apart("jump", jump);
	return tap_done();
}
