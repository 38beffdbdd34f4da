/* SPDX-License-Identifier: MIT
 *
 * test_steps.c - a signal after every single instruction of a wrapped call, whose handler has its
 * own stack and makes wrapped calls. The call is made at every depth around the point where a chunk
 * of slots is full, so that the handler's call has to search the slots of the interrupted stack, at
 * every step of the wrapper.
 */
#include <signal.h>
#include <ucontext.h>

#include "../apart.h"
#include "../runtime/calls/wrapped.h"
#include "runtime/calls/tallies.h"
#include "trap.h"

#define NOINLINE   __attribute__((noinline))
#define DEPTH_MAX  70 /* a chunk has 64 slots, or fewer */
#define ROOM_MAX   5
#define STACK_SIZE (1 << 18)

static long (*wdown)(long), (*wleaf)(long), (*whandle)(long);
static uint64_t steps;
static bool right = true, stayed = true;

NOINLINE static long leaf(long n)
{
	return n + 1;
}

NOINLINE static long handle(long n)
{
	return n + 2;
}

/* Comes back from the chunk that its call may have gone on to. It may free the slot of the
 * interrupted call, which has been left. */
static void step(int number)
{
	unsigned chunk = calls_this->chunk;
	const struct slot *top = calls_this->top;

	(void)number;
	right = whandle(40) == 42 && right;
	stayed = calls_this->chunk == chunk && calls_this->top <= top && stayed;
	steps++;
}

static void handle_steps(void)
{
	static char stack[STACK_SIZE];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = step, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&other, NULL) || sigaction(SIGTRAP, &action, NULL))
		bail_out("SIGTRAP cannot be handled");
}

/* Makes the whole histogram in advance: signals are blocked also while a part of it is made. */
static void make_histogram(const void *redirector)
{
	struct tally *tally = tally_here(redirector);

	for (unsigned bit = 0; bit <= OCTAVE_LAST; bit++)
		tallies_add_duration(calls_this, tally, UINT64_C(1) << bit, 1);
	tallies_add_duration(calls_this, tally, 0, 1);
}

NOINLINE static long down(long n)
{
	ptrdiff_t room = calls_this->limit - calls_this->top;

	if (n > 0)
		return wdown(n - 1) + 1;
	/* The wrapper blocks signals while it switches to the next chunk, and a trap would be
	 * fatal. */
	trap(room > 0 && room < ROOM_MAX);
	n = wleaf(41);
	trap(false);
	return n;
}

/* Returns the number of calls of wdown(). */
static uint64_t calls_made(void)
{
	return (uint64_t)DEPTH_MAX * (DEPTH_MAX + 1) / 2;
}

static void on_own_stack(void)
{
	for (long depth = 0; depth < DEPTH_MAX; depth++)
		right = wdown(depth) == 42 + depth && right;
}

/* Tests a coroutine's stack, of which it is unknown if it is in use. */
static void on_other_stack(void)
{
	static char stack[STACK_SIZE];
	ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, on_own_stack, 0);
	swapcontext(&here, &there);
}

static void steps_through(uint32_t clock, void (*call)(void))
{
	wrapped_begin_with(0, clock);
	wdown = WRAP(down);
	wleaf = WRAP(leaf);
	whandle = WRAP(handle);
	wleaf(0);
	make_histogram(wleaf);
	whandle(0);
	handle_steps();
	call();
	ok(right, "the calls and those of %lu handlers return as they should",
	   (unsigned long)steps);
	ok(stayed, "a handler leaves no more slots in use, and the chunk as it was");
	ok(steps > 20 * (ROOM_MAX - 1), "they were interrupted at every instruction");
	ok(all_returned(SEEN(wleaf), DEPTH_MAX + 1), "interrupted calls are counted and timed");
	ok(all_returned(SEEN(wdown), calls_made()), "so are those around them");
	ok(all_returned(SEEN(whandle), steps + 1), "and those of the handlers");
	ok(slots_in_use() == 0, "no slot is left in use");
}

static void in_assembly(void)
{
	steps_through(RECORD_CLOCK_TICKS, on_own_stack);
}

static void in_c(void)
{
	steps_through(RECORD_CLOCK_NS, on_own_stack);
}

static void in_assembly_of_a_coroutine(void)
{
	steps_through(RECORD_CLOCK_TICKS, on_other_stack);
}

static void in_c_of_a_coroutine(void)
{
	steps_through(RECORD_CLOCK_NS, on_other_stack);
}

int main(void)
{
#ifdef TRAP_REFUSED
	skip("a signal after every single instruction of a wrapped call", TRAP_REFUSED);
	return tap_done();
#endif
	apart("in assembly", in_assembly);
	apart("in C", in_c);
	apart("in assembly, in a coroutine", in_assembly_of_a_coroutine);
	apart("in C, in a coroutine", in_c_of_a_coroutine);
	return tap_done();
}
