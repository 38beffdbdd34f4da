/* SPDX-License-Identifier: MIT
 *
 * test_paths.c - calls by path (--tree): each counts below the wrapped call that has made it, also
 * after jumps, exceptions, signals and switches of stacks; recursion is folded, and the number of
 * paths is bounded.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include "../../apart.h"
#include "emulated.h"
#include "runtime/calls/callers.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

static long (*wleaf)(long), (*wmiddle)(long), (*wouter)(long), (*wdown)(long), (*weven)(long),
	(*wodd)(long), (*wjumper)(long), (*wleave)(long), (*wcounted)(long), (*wraise)(long);
static sigjmp_buf back;
static long results;

NOINLINE static long leaf(long n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

NOINLINE static long counted(long n)
{
	__asm__ volatile("" ::: "memory");
	return n + 2;
}

NOINLINE static long middle(long n)
{
	return wleaf(n) + wcounted(n) + 1;
}

NOINLINE static long outer(long n)
{
	return wmiddle(n) + wleaf(n) + 2;
}

/* Calls itself, and the leaf at each depth. */
NOINLINE static long down(long n)
{
	long below = n ? wdown(n - 1) : 0;

	return wleaf(n) + below;
}

NOINLINE static long even(long n)
{
	return n ? wodd(n - 1) + 1 : wleaf(n);
}

NOINLINE static long odd(long n)
{
	return n ? weven(n - 1) + 1 : wleaf(n);
}

NOINLINE static long jumper(long n)
{
	return wleaf(n);
}

NOINLINE static long leave(long n)
{
	wleaf(n);
	siglongjmp(back, 1);
}

NOINLINE static long raise_it(long n)
{
	raise(SIGUSR1);
	return n + wleaf(n);
}

static void begin(void)
{
	wrapped_begin_with(RECORD_BY_CALLER | RECORD_BY_PATH, RECORD_CLOCK_TICKS);
	wleaf = WRAP(leaf);
	wmiddle = WRAP(middle);
	wouter = WRAP(outer);
	wdown = WRAP(down);
	weven = WRAP(even);
	wodd = WRAP(odd);
	wjumper = WRAP(jumper);
	wleave = WRAP(leave);
	wraise = WRAP(raise_it);
	wcounted = (long (*)(long))wrap_as((void *)counted, "counted", RECORD_COUNTED);
}

/* ---- what is in the recording ---- */

/* Finds a caller of a process. NULL: it is not there, or in another process. */
static const struct record_caller *caller_of(const char *bytes, size_t size, uint64_t process,
					     uint32_t id)
{
	const struct record_segment *segment = NULL;

	while ((segment = recording_next(bytes, size, segment))) {
		const struct record_item *item = NULL;

		if (segment->kind != RECORD_NAMES || segment->owner != process)
			continue;
		while ((item = item_next(segment, item)))
			if (item->kind == RECORD_CALLER &&
			    ((const struct record_caller *)item)->id == id)
				return (const struct record_caller *)item;
	}
	return NULL;
}

/* Returns whether a caller is the path of these functions, the innermost first, up to a NULL. */
static bool is_path(const char *bytes, size_t size, uint64_t process, uint32_t id,
		    const void *const *functions)
{
	for (; id && id != RECORD_NO_CALLER && *functions; functions++) {
		const struct record_caller *caller = caller_of(bytes, size, process, id);

		if (!caller || caller->function != wrapped_id(*functions) ||
		    (caller->parent && caller->parent >= id))
			return false;
		id = caller->parent;
	}
	return !*functions && (!id || id == RECORD_NO_CALLER);
}

/* Returns the calls of functions[0] that were called by functions[1], and so on, in all threads of
 * a process. */
static struct record_calls at_of(uint64_t process, const void *const *functions)
{
	struct record_calls sum = { 0 };
	size_t size;
	const char *bytes = recording_map(&size);
	const struct record_segment *segment = NULL;

	while ((segment = recording_next(bytes, size, segment))) {
		const struct record_item *item = NULL;

		if ((segment->kind != RECORD_THREAD && segment->kind != RECORD_COUNTS) ||
		    process_of(bytes, segment) != process)
			continue;
		while ((item = item_next(segment, item))) {
			const struct record_calls *calls = (const struct record_calls *)item;

			if (item->kind != RECORD_CALLS ||
			    calls->function != wrapped_id(functions[0]) ||
			    !is_path(bytes, size, process, calls->caller, functions + 1))
				continue;
			sum.calls += calls->calls;
			sum.returned += calls->returned;
			sum.abandoned += calls->abandoned;
			sum.untimed += calls->untimed;
			sum.sum += calls->sum;
			sum.again += calls->again;
			sum.self += calls->self;
		}
	}
	munmap((void *)bytes, size);
	return sum;
}

#define PATH(...) ((const void *const[]){ __VA_ARGS__, NULL })
#define AT(...)   at_of(calls_state.entry.segment, PATH(__VA_ARGS__))

/* ---- tests ---- */

static void tree(void)
{
	struct record_calls all;

	begin();
	for (int i = 0; i < 100; i++)
		results += wouter(i);
	for (int i = 0; i < 7; i++)
		results += wmiddle(i) + wleaf(i);
	ok(all_returned(AT(wouter), 100), "a call that no wrapped one makes has no caller");
	ok(all_returned(AT(wleaf, wouter), 100), "a call is below the one that makes it");
	ok(all_returned(AT(wleaf, wmiddle, wouter), 100),
	   "and apart from the same on another path");
	ok(AT(wleaf, wmiddle).calls == 7 && AT(wleaf).calls == 7, "of any length");
	ok(AT(wcounted, wmiddle, wouter).untimed == 100, "also one that is only counted");
	ok(SEEN_BY_ALL(wleaf).calls == 214, "their sum is all there are");
	all = AT(wouter);
	ok((int64_t)all.sum ==
		   all.self + (int64_t)(AT(wmiddle, wouter).sum + AT(wleaf, wouter).sum),
	   "a call's time is its own and that of those below it");
}

static void recursion(void)
{
	struct record_calls all;

	begin();
	results += wdown(1000);
	all = AT(wdown);
	ok(all_returned(all, 1001), "a function that calls itself is one node");
	ok(AT(wdown, wdown).calls == 0 && all_returned(AT(wleaf, wdown), 1001),
	   "and so is what it calls");
	ok(all.sum - all.again >= (uint64_t)all.self && all.sum - all.again < all.sum,
	   "nested calls do not count twice");
	results += weven(11);
	ok(all_returned(AT(weven), 6) && all_returned(AT(wodd, weven), 6),
	   "so are two functions that call each other");
	ok(all_returned(AT(wleaf, wodd, weven), 1), "with what they call below the one that does");
	results += wodd(3);
	ok(all_returned(AT(wodd), 2) && all_returned(AT(weven, wodd), 2),
	   "in the order in which they begin");
}

static void jumps(void)
{
	begin();
	for (int i = 0; i < 10; i++)
		results += wjumper(i);
	ok(all_returned(AT(wleaf, wjumper), 10),
	   "a function that ends by jumping to another one is its caller");
	for (volatile int i = 0; i < 10; i++)
		if (!sigsetjmp(back, 0))
			results += wleave(i);
	ok(all_returned(AT(wleaf, wleave), 10), "a call that will be left is a caller");
	results += wleaf(1) + wcounted(1) + wmiddle(1);
	ok(AT(wleave).abandoned == 10 && all_returned(AT(wleaf), 1) && AT(wcounted).calls == 1 &&
		   all_returned(AT(wmiddle), 1),
	   "and none after that");
}

static void handler(int number)
{
	(void)number;
	results += wmiddle(1);
}

static void signals(void)
{
	begin();
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	for (int i = 0; i < 5; i++)
		results += wraise(i);
	ok(all_returned(AT(wmiddle), 1), "calls of a handler have no caller");
	ok(all_returned(AT(wmiddle, wraise), 5) && all_returned(AT(wleaf, wmiddle, wraise), 5),
	   "or the one that the signal interrupts");
	ok(all_returned(AT(wleaf, wraise), 5), "which is the caller afterwards as well");
}

static void *in_thread(void *unused)
{
	for (int i = 0; i < 50; i++)
		wouter(i);
	return unused;
}

static void threads(void)
{
	pthread_t list[4];

	begin();
	results += wouter(1);
	for (int i = 0; i < 4; i++)
		pthread_create(&list[i], NULL, in_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(list[i], NULL);
	ok(all_returned(AT(wleaf, wmiddle, wouter), 201), "threads have the same paths");
	ok(callers_of_path(wrapped_id((void *)wleaf), RECORD_NO_CALLER) == (RECORD_CALLER_BIT | 2),
	   "each once");
}

/* ---- coroutines ---- */

#define STACK_BYTES (256 << 10)

static ucontext_t coroutine, scheduler;
static long (*wpause)(long), (*wresume)(long);

NOINLINE static long pause_here(long n)
{
	swapcontext(&coroutine, &scheduler);
	return wleaf(n);
}

NOINLINE static long resume(long n)
{
	swapcontext(&scheduler, &coroutine);
	return n;
}

static void body(void)
{
	for (int i = 0; i < 4; i++)
		results += wpause(i);
	swapcontext(&coroutine, &scheduler);
}

/* Switches to a coroutine on `stack` and back, with calls in between. */
static void *switch_stacks(void *stack)
{
	getcontext(&coroutine);
	coroutine.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = STACK_BYTES };
	makecontext(&coroutine, body, 0);
	for (int i = 0; i < 5; i++)
		results += wresume(i) + wouter(i);
	return NULL;
}

static void check_coroutine(const char *where)
{
	ok(all_returned(SEEN_BY_ALL(wpause), 4) && all_returned(SEEN_BY_ALL(wresume), 5) &&
		   all_returned(SEEN_BY_ALL(wleaf), 14),
	   "%s: no call is lost", where);
	ok(all_returned(AT(wleaf, wmiddle, wouter), 5) && all_returned(AT(wouter), 5),
	   "%s: one that waits is not the caller of calls on the thread's own stack", where);
	ok(all_returned(AT(wpause, wresume), 4), "%s: what resumes a coroutine is its caller",
	   where);
}

static void begin_coroutine(void)
{
	begin();
	wpause = WRAP(pause_here);
	wresume = WRAP(resume);
}

static void coroutines(void)
{
	static char stack[STACK_BYTES] __attribute__((aligned(64)));

	begin_coroutine();
	switch_stacks(stack);
	check_coroutine("a coroutine");
}

/* The first thread's stack is above all that the program maps. Another's need not be. */
static void coroutines_above(void)
{
	char *stacks = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	begin_coroutine();
	pthread_attr_init(&attributes);
	if (stacks == MAP_FAILED || pthread_attr_setstack(&attributes, stacks, STACK_BYTES) ||
	    pthread_create(&thread, &attributes, switch_stacks, stacks + STACK_BYTES) ||
	    pthread_join(thread, NULL))
		bail_out("there is no thread on this stack");
	check_coroutine("a coroutine above its thread");
}

/* ---- the bound ---- */

static void bound(void)
{
	uint32_t function = 0, parent = RECORD_NO_CALLER, wrong = 0, object;

	begin();
	function = wrapped_id((void *)wleaf);
	object = wrapped.object;
	for (uint32_t i = 0; i < CALLERS_MAX; i++) {
		uint32_t next = callers_of_path(function + (i & 1), parent);

		wrong += next != (RECORD_CALLER_BIT | i);
		parent = next;
	}
	ok(wrong == 0, "paths are numbered from 0");
	ok(callers_of_path(function, parent) == object, "one beyond the bound is its object");
	ok(callers_of_path(function, object) == object, "and so are all below it");
	results += wouter(1);
	ok(SEEN_BY_ALL(wouter).returned == 1 && SEEN_BY_ALL(wleaf).returned == 2,
	   "calls are counted nevertheless");
	ok(AT(wleaf, wouter).calls == 0 && AT(wouter).calls == 1, "without their path");
	ok(callers_fold(function, RECORD_CALLER_BIT | 1) == RECORD_NO_CALLER &&
		   callers_fold(function + 1, RECORD_CALLER_BIT | 1) == RECORD_CALLER_BIT &&
		   callers_fold(function + 2, RECORD_CALLER_BIT | 1) == (RECORD_CALLER_BIT | 1),
	   "a function that is on a path counts where it is");
}

static void forked(void)
{
	int status;
	pid_t child;

	begin();
	results += wouter(1);
	child = fork();
	if (child == 0) {
		results += wouter(1) + wdown(1);
		_exit(AT(wouter).calls == 1 && AT(wdown).calls == 2 &&
				      AT(wleaf, wdown).calls == 2 &&
				      callers_of_path(wrapped_id((void *)wdown),
						      RECORD_NO_CALLER) == (RECORD_CALLER_BIT | 2)
			      ? 0
			      : 1);
	}
	waitpid(child, &status, 0);
	ok(status == 0, "a child continues the numbers of its parent");
	ok(AT(wleaf, wmiddle, wouter).calls == 1, "and its calls are its own");
	ok(recording_is_sound(), "every segment has its owner");
}

int main(void)
{
	apart("tree", tree);
	apart("recursion", recursion);
	apart("jumps", jumps);
	apart("signals", signals);
	apart("threads", threads);
	apart("coroutines", coroutines);
	apart("coroutines above", coroutines_above);
	apart("bound", bound);
	if (wipes_on_fork())
		apart("forked", forked);
	else
		skip("forked", NO_WIPE);
	return tap_done();
}
