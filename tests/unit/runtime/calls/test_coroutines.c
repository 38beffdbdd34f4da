/* SPDX-License-Identifier: MIT
 *
 * test_coroutines.c - wrapped calls on stacks that the program switches between: they return in any
 * order, and on any thread.
 */
#include <inttypes.h>
#include <pthread.h>
#include <ucontext.h>

#include "../../apart.h"
#include "../../random64.h"
#include "wrapped.h"

#define NOINLINE   __attribute__((noinline))
#define COROUTINES 16
#define STACK      32768

struct coroutine {
	ucontext_t here, scheduler;
	uint64_t answer;
	bool done;
};

static struct coroutine coroutines[COROUTINES];
static char stacks[COROUTINES][STACK] __attribute__((aligned(64)));

static uint64_t (*wpause)(struct coroutine *), (*wouter)(struct coroutine *);
static void (*wquiet)(void);

/* A call that stays active while others run. Not named after the one of libc. */
NOINLINE static uint64_t pause_here(struct coroutine *coroutine)
{
	swapcontext(&coroutine->here, &coroutine->scheduler);
	return (uint64_t)(coroutine - coroutines) + 1;
}

NOINLINE static uint64_t outer(struct coroutine *coroutine)
{
	uint64_t first = wpause(coroutine);

	return first + wpause(coroutine);
}

NOINLINE static void quiet(void)
{
	__asm__ volatile("" ::: "memory");
}

static void body(unsigned number)
{
	struct coroutine *coroutine = &coroutines[number];

	coroutine->answer = wouter(coroutine);
	wquiet();
	coroutine->done = true;
	swapcontext(&coroutine->here, &coroutine->scheduler);
}

static void prepare(unsigned number, void *stack, size_t size)
{
	struct coroutine *coroutine = &coroutines[number];

	getcontext(&coroutine->here);
	coroutine->here.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = size };
	coroutine->answer = 0;
	coroutine->done = false;
	makecontext(&coroutine->here, (void (*)(void))body, 1, number);
}

NOINLINE static void resume(unsigned number)
{
	swapcontext(&coroutines[number].scheduler, &coroutines[number].here);
}

static void bind_all(void)
{
	wrapped_begin();
	wpause = WRAP(pause_here);
	wouter = WRAP(outer);
	wquiet = WRAP(quiet);
	wquiet();
}

static bool all_have_returned(void)
{
	for (unsigned i = 0; i < COROUTINES; i++)
		if (!coroutines[i].done || coroutines[i].answer != 2 * (i + 1))
			return false;
	return true;
}

/* Runs all of them to their end; `next` chooses one of those that are left. */
static void run_all(unsigned (*next)(unsigned left))
{
	unsigned waiting[COROUTINES], left = COROUTINES;

	for (unsigned i = 0; i < COROUTINES; i++) {
		prepare(i, stacks[i], STACK);
		resume(i);
		waiting[i] = i;
	}
	while (left) {
		unsigned chosen = next(left);

		resume(waiting[chosen]);
		wquiet();
		if (!coroutines[waiting[chosen]].done)
			continue;
		memmove(&waiting[chosen], &waiting[chosen + 1],
			(--left - chosen) * sizeof(waiting[0]));
	}
}

static unsigned first_one(unsigned left)
{
	(void)left;
	return 0;
}

static unsigned last_one(unsigned left)
{
	return left - 1;
}

static uint64_t random_state = 1;

static unsigned any_one(unsigned left)
{
	return (unsigned)random64_below(&random_state, left);
}

static void check_order(unsigned (*next)(unsigned), const char *which)
{
	const int rounds = 300;
	bool right = true;
	uint32_t used;

	bind_all();
	run_all(next);
	used = calls_state.arena_used;
	for (int i = 1; i < rounds; i++) {
		run_all(next);
		right = right && all_have_returned();
	}
	wquiet();
	ok(right, "coroutines return to where they were called: %s", which);
	ok(all_returned(SEEN(wouter), (uint64_t)rounds * COROUTINES) &&
		   all_returned(SEEN(wpause), 2 * (uint64_t)rounds * COROUTINES),
	   "each call has returned");
	ok(slots_in_use() == 0 && calls_state.arena_used == used, "no slot is left in use");
}

static void first_in_first_out(void)
{
	check_order(first_one, "the first one first");
}

static void last_in_first_out(void)
{
	check_order(last_one, "the last one first");
}

static void any_order(void)
{
	check_order(any_one, "in any order");
}

/* The scheduler is a wrapped call itself, with coroutines above it. */
static uint64_t (*wschedule)(struct coroutine *);

NOINLINE static uint64_t schedule(struct coroutine *unused)
{
	(void)unused;
	run_all(any_one);
	return 42;
}

static void inside_a_call(void)
{
	bool right = true;

	bind_all();
	wschedule = WRAP(schedule);
	for (int i = 0; i < 100; i++) {
		right = wschedule(NULL) == 42 && right;
		right = all_have_returned() && right;
	}
	ok(right && all_returned(SEEN(wschedule), 100) && all_returned(SEEN(wouter), 1600),
	   "a call that runs coroutines returns as well");
	ok(slots_in_use() == 0, "no slot is left in use");
}

/*
 * Some programs use an array in main() as a stack. By its address a coroutine is then a caller of
 * main()'s own calls, or has left them: so they need not be timed, but must return correctly.
 */
static bool all_accounted_for(struct record_calls seen, uint64_t n)
{
	bool good = seen.calls == n && seen.returned + seen.abandoned + seen.untimed == n;

	if (!good)
		note("calls %" PRIu64 " returned %" PRIu64 " abandoned %" PRIu64 " untimed %" PRIu64
		     ", not %" PRIu64,
		     seen.calls, seen.returned, seen.abandoned, seen.untimed, n);
	return good;
}

static void on_the_threads_own_stack(void)
{
	char first[STACK], second[STACK];
	bool right = true;
	uint32_t used = 0;

	bind_all();
	for (int i = 0; i < 1000; i++) {
		/* At many places: some of the signatures of a return address are 0. */
		size_t size = STACK - 16 * ((size_t)i % 500);

		prepare(0, first, size);
		prepare(1, second, size);
		resume(0);
		resume(1);
		wquiet();
		resume(0);
		resume(0);
		resume(1);
		resume(1);
		right = coroutines[0].done && coroutines[0].answer == 2 && coroutines[1].done &&
			coroutines[1].answer == 4 && right;
		if (i == 500)
			used = calls_state.arena_used;
	}
	wquiet();
	ok(right, "coroutines whose stacks are parts of the thread's own return too");
	ok(all_accounted_for(SEEN(wouter), 2000) && all_accounted_for(SEEN(wpause), 4000),
	   "each call is counted");
	ok(slots_in_use() == 0 && calls_state.arena_used == used, "no slot is left in use");
}

static char *array;
static uint64_t (*wjump)(struct coroutine *);

NOINLINE static uint64_t schedule_on_array(struct coroutine *unused)
{
	(void)unused;
	prepare(0, array, STACK);
	for (int i = 0; i < 3; i++)
		resume(0);
	return 42;
}

/* Ends with a tail call: there are two stubs in one frame. */
NOINLINE static uint64_t jump_to_schedule(struct coroutine *coroutine)
{
	return wschedule(coroutine);
}

static void on_its_own_stack_inside_a_call(void)
{
	char above[STACK];
	bool right = true;

	bind_all();
	array = above;
	wschedule = WRAP(schedule_on_array);
	wjump = WRAP(jump_to_schedule);
	for (int i = 0; i < 1000; i++)
		right = wschedule(NULL) == 42 && wjump(NULL) == 42 && right;
	wquiet();
	ok(right, "a call returns that has run a coroutine on a part of the stack above it");
	ok(all_accounted_for(SEEN(wschedule), 2000) && all_accounted_for(SEEN(wjump), 1000) &&
		   all_accounted_for(SEEN(wouter), 2000),
	   "each call is counted");
	ok(slots_in_use() == 0, "no slot is left in use");
}

/*
 * Coroutines that wait in a tail-called function: one frame for two calls. Below them are enough
 * other calls that they reach the end of a chunk of slots, in any order; then slots that could be
 * given up are searched.
 */
static long (*wdown)(long);

NOINLINE static uint64_t jump_to_pause(struct coroutine *coroutine)
{
	return wpause(coroutine);
}

static void body_that_jumps(unsigned number)
{
	struct coroutine *coroutine = &coroutines[number];

	coroutine->answer = 2 * wjump(coroutine);
	coroutine->done = true;
	swapcontext(&coroutine->here, &coroutine->scheduler);
}

NOINLINE static long down(long n)
{
	if (n > 0)
		return wdown(n - 1) + 1;
	for (unsigned i = 0; i < COROUTINES; i++) {
		prepare(i, stacks[i], STACK);
		makecontext(&coroutines[i].here, (void (*)(void))body_that_jumps, 1, i);
		resume(i);
	}
	for (unsigned i = 0; i < COROUTINES; i++)
		resume(i);
	return 0;
}

static void jumped_to(void)
{
	bool right = true;

	bind_all();
	wjump = WRAP(jump_to_pause);
	wdown = WRAP(down);
	for (int i = 0; i < 64; i++)
		right = wdown(i) == i && all_have_returned() && right;
	wquiet();
	ok(right, "coroutines that wait behind a jump return");
	ok(all_returned(SEEN(wjump), 64 * COROUTINES) &&
		   all_returned(SEEN(wpause), 64 * COROUTINES),
	   "both of their calls do, wherever a chunk ends");
	ok(slots_in_use() == 0, "no slot is left in use");
}

/* Coroutines that are never resumed: their stacks are used again, unmapped or overwritten. */
enum fate { USED_AGAIN, UNMAPPED, OVERWRITTEN };

static void never_resumed(enum fate fate)
{
	static const char *const fates[] = { "their stacks are used again", "their stacks are gone",
					     "their stacks are overwritten" };
	const int rounds = 2000;
	char *stack = stacks[0];
	uint32_t used = 0;

	bind_all();
	for (int i = 0; i < rounds; i++) {
		if (fate != USED_AGAIN)
			stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		prepare(0, stack, STACK);
		resume(0);
		if (fate == UNMAPPED)
			munmap(stack, STACK);
		else if (fate == OVERWRITTEN)
			memset(stack, 0xff, STACK);
		if (i == rounds / 2)
			used = calls_state.arena_used;
	}
	ok(calls_state.arena_used == used, "coroutines that never end need no more slots: %s",
	   fates[fate]);
	ok(SEEN(wouter).abandoned > (uint64_t)rounds / 2, "and most of their calls are abandoned");
	note("%u slots, %" PRIu64 " of %d abandoned", used, SEEN(wouter).abandoned, rounds);
}

static void never_resumed_on_one_stack(void)
{
	never_resumed(USED_AGAIN);
}

static void never_resumed_and_unmapped(void)
{
	never_resumed(UNMAPPED);
}

static void never_resumed_and_overwritten(void)
{
	if (ARCH_RETURN_ON_STACK)
		never_resumed(OVERWRITTEN);
	else
		skip("stacks that are overwritten", "the return address is in a register");
}

/* Coroutines that continue in another thread than the one they started in. */
static void *resume_to_end(void *from)
{
	for (unsigned i = *(unsigned *)from; i < COROUTINES; i++)
		while (!coroutines[i].done)
			resume(i);
	wquiet();
	if (slots_in_use())
		note("%zu slots in use in the second thread", slots_in_use());
	return NULL;
}

static void *begin_all(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < COROUTINES; i++) {
		prepare(i, stacks[i], STACK);
		resume(i);
	}
	return NULL;
}

static void *be_quiet(void *unused)
{
	(void)unused;
	wquiet();
	return NULL;
}

static void in_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, argument) || pthread_join(thread, NULL))
		bail_out("there is no thread to test in");
}

static void on_another_thread(void)
{
	unsigned half = COROUTINES / 2, all = 0;

	bind_all();
	begin_all(NULL);
	in_thread(resume_to_end, &half);
	ok(SEEN_BY_ALL(wouter).returned == COROUTINES / 2, "half of them end in another thread");
	wquiet();
	resume_to_end(&all);
	ok(all_have_returned(), "the others where they began");
	ok(slots_in_use() == 0, "the thread where they began has all slots back");
	ok(all_returned(SEEN_BY_ALL(wouter), COROUTINES) &&
		   all_returned(SEEN_BY_ALL(wpause), 2 * COROUTINES),
	   "each call has returned, in one of the threads");
}

/* A later thread may take over what belonged to the thread, but not slots that will return. */
static void after_their_thread_has_ended(void)
{
	unsigned all = 0;

	bind_all();
	in_thread(begin_all, NULL);
	for (int i = 0; i < 200; i++)
		in_thread(be_quiet, NULL);
	resume_to_end(&all);
	ok(all_have_returned(), "coroutines outlive the thread they began in");
	ok(all_returned(SEEN_BY_ALL(wouter), COROUTINES) &&
		   all_returned(SEEN_BY_ALL(wpause), 2 * COROUTINES),
	   "each call has returned");
	ok(calls_state.thread_count < 100, "while others have taken its place");
}

int main(void)
{
	apart("first in, first out", first_in_first_out);
	apart("last in, first out", last_in_first_out);
	apart("any order", any_order);
	apart("inside a call", inside_a_call);
	apart("jumped to", jumped_to);
	apart("never resumed", never_resumed_on_one_stack);
	apart("never resumed, and unmapped", never_resumed_and_unmapped);
	apart("never resumed, overwritten", never_resumed_and_overwritten);
	apart("on another thread", on_another_thread);
	apart("after their thread has ended", after_their_thread_has_ended);
	apart("on the thread's own stack", on_the_threads_own_stack);
	apart("on its own stack, inside a call", on_its_own_stack_inside_a_call);
	return tap_done();
}
