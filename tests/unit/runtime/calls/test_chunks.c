/* SPDX-License-Identifier: MIT
 *
 * test_chunks.c - a signal handler that makes wrapped calls, at each moment at which signals are
 * unblocked again while a call goes on to another chunk of slots or back from one. No debugger and
 * no trap gets there: the kernel ends a process that blocks SIGTRAP.
 */
#include "../../apart.h"
#include "runtime/calls/state.h"
#include "wrapped.h"

static void interrupt(sys_sigset mask);

/* As if a signal had been pending. */
#define state_restore_signals(mask) (state_restore_signals(mask), interrupt(mask))
#define state_unlock(mask)          (state_unlock(mask), interrupt(mask))
#include "runtime/calls/arena.c"
#include "runtime/calls/slots.c"

#define NOINLINE  __attribute__((noinline))
#define DEPTH_MAX 400 /* four chunks */

static long (*wdown)(long), (*whandle)(long);
static uint64_t interruptions;
static bool is_armed, right = true;

NOINLINE static long handle(long n)
{
	return n > 0 ? whandle(n - 1) + 1 : 40;
}

/* Makes one call, or several inside each other, unless signals are still blocked. */
static void interrupt(sys_sigset mask)
{
	if (!is_armed || mask & SYS_SIGBIT(SIGUSR1))
		return;
	is_armed = false;
	right = whandle(interruptions % 3) == 40 + (long)(interruptions % 3) && right;
	interruptions++;
	is_armed = true;
}

NOINLINE static long down(long n)
{
	return n > 0 ? wdown(n - 1) + 1 : 0;
}

static uint64_t handled(void)
{
	uint64_t calls = 0;

	for (uint64_t i = 0; i < interruptions; i++)
		calls += i % 3 + 1;
	return calls;
}

static void steps_through(uint32_t clock)
{
	uint64_t calls = 0;

	wrapped_begin_with(0, clock);
	wdown = WRAP(down);
	whandle = WRAP(handle);
	wdown(0);
	whandle(0);
	is_armed = true;
	for (long depth = 0; depth <= DEPTH_MAX; depth++) {
		right = wdown(depth) == depth && right;
		calls += (uint64_t)depth + 1;
	}
	is_armed = false;
	ok(right, "the calls and those of %lu handlers return as they should",
	   (unsigned long)interruptions);
	ok(interruptions > DEPTH_MAX, "they were interrupted whenever signals were unblocked");
	ok(all_returned(SEEN(wdown), calls + 1), "interrupted calls are counted and timed");
	ok(all_returned(SEEN(whandle), handled() + 1), "so are those of the handlers");
	ok(slots_in_use() == 0, "no slot is left in use");
	ok(calls_state.arena_used == arena_chunk_begin(calls_this->chunk_count),
	   "each chunk was made once");
}

static void in_assembly(void)
{
	steps_through(RECORD_CLOCK_TICKS);
}

static void in_c(void)
{
	steps_through(RECORD_CLOCK_NS);
}

int main(void)
{
	apart("in assembly", in_assembly);
	apart("in C", in_c);
	return tap_done();
}
