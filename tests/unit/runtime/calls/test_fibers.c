/* SPDX-License-Identifier: MIT
 *
 * test_fibers.c - many switches between coroutines inside wrapped calls, and many coroutines: the
 * time of a call does not grow, and there are only a few slots for each active call.
 *
 * Time is CPU time, and compared with itself in the same run: a time that grows with the number of
 * switches or of coroutines grows a hundredfold here, any other only by the effects of caches.
 */
#include <time.h>
#include <ucontext.h>

#include "../../apart.h"
#include "../../random64.h"
#include "emulated.h"
#include "wrapped.h"

#define NOINLINE   __attribute__((noinline))
#define GROWTH_MAX 15 /* of the time of a step; linear growth would be 100 */
#define TRIES      5

struct fiber {
	ucontext_t here;
	char *stack;
	bool ends;
};

static struct fiber *fibers;
static unsigned count;
static ucontext_t scheduler;
static void (*wswitch)(struct fiber *from, ucontext_t *to), (*wquiet)(void);

/* A call that stays active while others run. */
NOINLINE static void switch_to(struct fiber *from, ucontext_t *to)
{
	swapcontext(&from->here, to);
}

NOINLINE static void quiet(void)
{
	__asm__ volatile("" ::: "memory");
}

static void bind_all(void)
{
	wrapped_begin();
	wswitch = WRAP(switch_to);
	wquiet = WRAP(quiet);
	wquiet();
}

/* Makes adjacent stacks, the first one at either end. */
static void make_fibers(unsigned number, size_t stack_size, bool upwards, void (*body)(unsigned))
{
	char *memory = mmap(NULL, number * stack_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	fibers = calloc(number, sizeof(*fibers));
	if (memory == MAP_FAILED || !fibers)
		bail_out("there is no memory for the stacks");
	count = number;
	for (unsigned i = 0; i < number; i++) {
		struct fiber *fiber = &fibers[i];

		fiber->stack = memory + (upwards ? i : number - 1 - i) * stack_size;
		getcontext(&fiber->here);
		fiber->here.uc_stack = (stack_t){ .ss_sp = fiber->stack, .ss_size = stack_size };
		fiber->here.uc_link = &scheduler;
		makecontext(&fiber->here, (void (*)(void))body, 1, i);
	}
}

/* The clock of the process would be that of the last tick, because there is a limit to its CPU
 * time. */
static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- two that hand over to each other ---- */

static unsigned long switches, switches_wanted;

/* Continues after the scheduler has had enough switches: no context is resumed twice. */
static void hand_over(unsigned number)
{
	for (;;) {
		while (switches < switches_wanted) {
			switches++;
			wswitch(&fibers[number], &fibers[!number].here);
		}
		swapcontext(&fibers[number].here, &scheduler);
	}
}

/* Returns seconds per switch. */
static double run_switches(unsigned long wanted)
{
	double start = cpu_seconds();

	switches = 0;
	switches_wanted = wanted;
	swapcontext(&scheduler, &fibers[0].here);
	return (cpu_seconds() - start) / (double)wanted;
}

static void check_switches(bool upwards, const char *which)
{
	const unsigned long few = is_emulated() ? 1000 : 2000, many = 100 * few;
	unsigned long runs = 1;
	double growth = 0;
	uint32_t used;

	bind_all();
	make_fibers(2, 65536, upwards, hand_over);
	run_switches(few);
	used = calls_state.arena_used;
	for (int i = 0; i < TRIES && (i == 0 || growth > GROWTH_MAX); i++) {
		double before;

		make_fibers(2, 65536, upwards, hand_over);
		before = run_switches(few);
		make_fibers(2, 65536, upwards, hand_over);
		growth = run_switches(many) / before;
		runs += 2;
	}
	ok(calls_state.arena_used == used, "%lu switches need no more slots than %lu: %s", many,
	   few, which);
	ok(growth < GROWTH_MAX, "and each takes as long");
	note("%.1f times as long, %u slots", growth, used);
	ok(SEEN(wswitch).calls - SEEN(wswitch).returned - SEEN(wswitch).abandoned <= 2 * runs + 1 &&
		   !SEEN(wswitch).untimed,
	   "each call has returned, but the last two of each run");
}

static void the_first_above(void)
{
	check_switches(false, "the first stack is above the second");
}

static void the_first_below(void)
{
	check_switches(true, "the first stack is below the second");
}

/* ---- many at once ---- */

static void wait_for_turns(unsigned number)
{
	while (!fibers[number].ends) {
		wquiet();
		wswitch(&fibers[number], &scheduler);
	}
}

static void resume(unsigned number)
{
	swapcontext(&scheduler, &fibers[number].here);
	wquiet();
}

static void resume_all(void)
{
	for (unsigned i = 0; i < count; i++)
		resume(i);
}

/* Returns seconds per switch, while all are active. */
static double run_rounds(int rounds)
{
	double start = cpu_seconds();
	uint64_t random = 1;

	for (int round = 0; round < rounds; round++)
		for (unsigned i = 0; i < count; i++)
			resume(round % 2 ? (unsigned)random64_below(&random, count) : i);
	return (cpu_seconds() - start) / rounds / count;
}

/* Starts so many, has each wait in a call, lets them run, and ends all. Returns seconds. */
static double run_fibers(unsigned number, bool upwards, int rounds)
{
	double each;
	size_t stack_size = 4096;

	make_fibers(number, stack_size, upwards, wait_for_turns);
	resume_all();
	each = run_rounds(rounds);
	for (unsigned i = 0; i < count; i++)
		fibers[i].ends = true;
	resume_all();
	munmap(upwards ? fibers[0].stack : fibers[count - 1].stack, count * stack_size);
	free(fibers);
	return each;
}

static void check_many(bool upwards, const char *which)
{
	const unsigned few = is_emulated() ? 10 : 200, many = 100 * few;
	uint64_t turns = 0;
	double growth = 0;

	bind_all();
	for (int i = 0; i < TRIES && (i == 0 || growth > GROWTH_MAX); i++) {
		growth = run_fibers(few, upwards, 100);
		growth = run_fibers(many, upwards, 4) / growth;
		turns += few * (1 + 100) + many * (1 + 4);
	}
	ok(growth < GROWTH_MAX, "a switch takes as long among %u as among %u: %s", many, few,
	   which);
	ok(calls_state.arena_used < 6 * many, "with a few slots for each");
	note("%.1f times as long, %u slots", growth, calls_state.arena_used);
	ok(all_returned(SEEN(wswitch), turns), "each call has returned");
	ok(slots_in_use() == 0, "no slot is left in use");
}

static void many_upwards(void)
{
	check_many(true, "each stack above the one before");
}

static void many_downwards(void)
{
	check_many(false, "each stack below the one before");
}

/* ---- many that never go on ---- */

/* While one call stays active at the top, others come and go below it. */
static void behind_one_that_waits(void)
{
	const unsigned long few = is_emulated() ? 1000 : 2000, many = 100 * few;
	uint32_t used;

	bind_all();
	make_fibers(3, 65536, false, hand_over);
	/* The lowest stack: no frame of the others is below it. */
	makecontext(&fibers[2].here, (void (*)(void))wait_for_turns, 1, 2);
	resume(2);
	run_switches(few);
	used = calls_state.arena_used;
	run_switches(many);
	ok(calls_state.arena_used == used,
	   "no more slots for %lu switches behind a call that waits", many);
	fibers[2].ends = true;
	resume(2);
	note("%u slots", used);
	/* One of the two has handed over to the other, and waits. */
	ok(SEEN(wswitch).calls == few + many + 1 &&
		   SEEN(wswitch).returned == SEEN(wswitch).calls - 1 && !SEEN(wswitch).abandoned &&
		   !SEEN(wswitch).untimed,
	   "each call has returned, but one");
}

/*
 * Coroutines that are given up inside a call, each on a stack at an address of its own, which is
 * then unmapped without notice.
 */
static void check_given_up(bool upwards, const char *which)
{
	const unsigned number = is_emulated() ? 2000 : 5000;
	const size_t stack_size = 16384;
	uint32_t used = 0;

	bind_all();
	make_fibers(number, stack_size, upwards, wait_for_turns);
	for (unsigned i = 0; i < number; i++) {
		resume(i);
		munmap(fibers[i].stack, stack_size);
		if (i == number / 10)
			used = calls_state.arena_used;
	}
	ok(calls_state.arena_used == used, "no more slots for %u coroutines given up: %s", number,
	   which);
	ok(SEEN(wswitch).abandoned > number / 2, "most of their calls are abandoned");
	note("%u slots, %" PRIu64 " abandoned", used, SEEN(wswitch).abandoned);
}

static void given_up_upwards(void)
{
	check_given_up(true, "each stack above the one before");
}

static void given_up_downwards(void)
{
	check_given_up(false, "each stack below the one before");
}

int main(void)
{
	apart("two, the first above", the_first_above);
	apart("two, the first below", the_first_below);
	apart("many, upwards", many_upwards);
	apart("many, downwards", many_downwards);
	apart("behind one that waits", behind_one_that_waits);
	apart("given up, upwards", given_up_upwards);
	apart("given up, downwards", given_up_downwards);
	return tap_done();
}
