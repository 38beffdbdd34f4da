/* SPDX-License-Identifier: MIT
 *
 * test_escape.c - wrapped calls that are left by an exception, by cancellation or by
 * pthread_exit(): unwinders find their way through the stubs, and each call is counted as escaped.
 */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <unistd.h>
#include <unwind.h>

#include "../../apart.h"
#include "runtime/calls/slots.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))
#define ROUNDS   10000

static void (*wthrow_it)(void *), (*wpass)(void *), (*wquiet)(void *), (*wleave)(void *);
static void *(*wcatch)(void (*)(void *), void *);

/* In arch/NAME/catch.S. */
void *catch (void (*function)(void *), void *argument);
extern char catch_landing[];
_Unwind_Reason_Code catch_personality(int version, _Unwind_Action actions,
				      _Unwind_Exception_Class class,
				      struct _Unwind_Exception *exception,
				      struct _Unwind_Context *context);

_Unwind_Reason_Code catch_personality(int version, _Unwind_Action actions,
				      _Unwind_Exception_Class class,
				      struct _Unwind_Exception *exception,
				      struct _Unwind_Context *context)
{
	(void)version;
	(void)class;
	if (actions & _UA_FORCE_UNWIND)
		return _URC_CONTINUE_UNWIND;
	if (actions & _UA_SEARCH_PHASE)
		return _URC_HANDLER_FOUND;
	if (!(actions & _UA_HANDLER_FRAME))
		return _URC_CONTINUE_UNWIND;
	_Unwind_SetGR(context, __builtin_eh_return_data_regno(0), (_Unwind_Word)exception);
	_Unwind_SetIP(context, (_Unwind_Ptr)catch_landing);
	return _URC_INSTALL_CONTEXT;
}

static struct _Unwind_Exception thrown;
static jmp_buf back;

NOINLINE static void throw_it(void *exception)
{
	_Unwind_RaiseException(exception);
	bail_out("no handler catches it");
}

/* Number of frames with a cleanup that have been left. */
static int cleaned;

static void clean(char *unused)
{
	(void)unused;
	cleaned++;
}

NOINLINE static void quiet(void *unused)
{
	(void)unused;
	__asm__ volatile("" ::: "memory");
}

/* A frame with a cleanup, which calls wrapped functions. */
static void clean_with_calls(char *unused)
{
	(void)unused;
	cleaned++;
	wquiet(NULL);
}

NOINLINE static void pass(void *exception)
{
	char something __attribute__((cleanup(clean_with_calls))) = 0;

	wthrow_it(exception);
	__asm__ volatile("" : "+m"(something));
}

static void bind_all(uint32_t clock)
{
	wrapped_begin_with(0, clock);
	wthrow_it = WRAP(throw_it);
	wpass = WRAP(pass);
	wquiet = WRAP(quiet);
	wcatch = WRAP(catch);
	wquiet(NULL);
}

static bool all_escaped(struct record_calls seen, uint64_t n)
{
	bool good = seen.calls == n && seen.escaped == n && !seen.returned && !seen.abandoned &&
		    !seen.untimed;

	if (!good)
		note("calls %" PRIu64 " returned %" PRIu64 " escaped %" PRIu64 " abandoned %" PRIu64
		     " untimed %" PRIu64 ", not %" PRIu64,
		     seen.calls, seen.returned, seen.escaped, seen.abandoned, seen.untimed, n);
	return good;
}

/* The catching frame has called the wrapped function itself: it shares its CFA with the stub. */
static void caught_by_the_caller(void)
{
	bool caught = true;
	uint32_t used;

	bind_all(RECORD_CLOCK_TICKS);
	used = calls_state.arena_used;
	for (int i = 0; i < ROUNDS; i++)
		caught = catch (wthrow_it, &thrown) == &thrown && caught;
	ok(caught, "an exception is caught by who has called the wrapped function");
	ok(all_escaped(SEEN(wthrow_it), ROUNDS), "each time, the call has escaped");
	ok(slots_in_use() <= 1 && calls_state.arena_used == used, "it needs no more slots");
	wquiet(NULL);
	ok(slots_in_use() == 0, "no slot is left in use");
}

static void caught_further_up(void)
{
	bool caught = true;

	bind_all(RECORD_CLOCK_TICKS);
	for (int i = 0; i < ROUNDS; i++)
		caught = wcatch(wpass, &thrown) == &thrown && caught;
	ok(caught, "an exception passes two wrapped calls and is caught inside a third");
	ok(all_escaped(SEEN(wthrow_it), ROUNDS) && all_escaped(SEEN(wpass), ROUNDS),
	   "the two have escaped");
	ok(all_returned(SEEN(wcatch), ROUNDS), "the third has returned");
	ok(cleaned == ROUNDS, "frames in between have cleaned up");
	ok(all_returned(SEEN(wquiet), ROUNDS + 1), "and has called others for it");
	ok(slots_in_use() == 0, "no slot is left in use");
}

static void in_nanoseconds(void)
{
	bool caught = true;

	bind_all(RECORD_CLOCK_NS);
	for (int i = 0; i < 100; i++)
		caught = wcatch(wpass, &thrown) == &thrown &&
			 catch (wthrow_it, &thrown) == &thrown && caught;
	ok(caught && all_escaped(SEEN(wthrow_it), 200) && all_returned(SEEN(wcatch), 100) &&
		   slots_in_use() == 0,
	   "on another clock it is the same");
}

/*
 * Until an exception has passed, unwinders need the slot that it has left: it is not given to a
 * signal handler that comes in between.
 */
static bool slot_is_kept;

NOINLINE static void on_its_way(void *unused)
{
	struct slot *slot = calls_this->top - 1;
	uintptr_t return_address = slot->return_address;

	slots_escape(slot);
	for (int i = 0; i < 10; i++)
		wquiet(unused);
	slot_is_kept = slot->return_address == return_address && calls_this->top > slot;
	longjmp(back, 1);
}

static void on_its_way_up(void)
{
	bind_all(RECORD_CLOCK_TICKS);
	wpass = WRAP(on_its_way);
	if (!setjmp(back))
		wpass(NULL);
	ok(slot_is_kept, "a slot that an exception has left is kept while it is on its way");
	wquiet(NULL);
	ok(all_escaped(SEEN(wpass), 1) && slots_in_use() == 0, "and given back when it has passed");
}

/* A tail-called function has a stub for its caller. */
NOINLINE static void jump_to_throw(void *exception)
{
	wthrow_it(exception);
}

static void after_a_jump(void)
{
	bool caught = true;

	bind_all(RECORD_CLOCK_TICKS);
	wpass = WRAP(jump_to_throw);
	for (int i = 0; i < ROUNDS; i++)
		caught = catch (wpass, &thrown) == &thrown && caught;
	ok(caught, "an exception passes two stubs of which one has been jumped to");
	ok(all_escaped(SEEN(wthrow_it), ROUNDS) && all_escaped(SEEN(wpass), ROUNDS),
	   "both calls have escaped");
	wquiet(NULL);
	ok(slots_in_use() == 0, "no slot is left in use");
}

/* Deeper than a chunk of slots. */
static void (*wdown)(void *);
static int depth;

NOINLINE static void down(void *exception)
{
	if (depth-- == 0)
		wthrow_it(exception);
	wdown(exception);
	__asm__ volatile("" ::: "memory");
}

static void from_far_below(void)
{
	bool caught = true;

	bind_all(RECORD_CLOCK_TICKS);
	wdown = WRAP(down);
	for (int i = 0; i < 200; i++) {
		depth = i;
		caught = catch (wdown, &thrown) == &thrown && caught;
	}
	ok(caught && all_escaped(SEEN(wdown), 200 * 201 / 2), "an exception passes 200 calls");
	wquiet(NULL);
	ok(slots_in_use() == 0, "no slot is left in use");
}

/* Forced unwinding: stops at a given place, by a jump. */
static int stubs_passed;

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception,
				struct _Unwind_Context *context, void *limit)
{
	uintptr_t pc = (uintptr_t)_Unwind_GetIP(context);

	(void)version;
	(void)class;
	(void)exception;
	stubs_passed += pc - (uintptr_t)arch_stubs < ARENA_BYTES;
	/* The CFA of a stub is that of its caller. */
	if (actions & _UA_END_OF_STACK || _Unwind_GetCFA(context) > (_Unwind_Word)limit)
		longjmp(back, 1);
	return _URC_NO_REASON;
}

NOINLINE static void force(void *limit)
{
	_Unwind_ForcedUnwind(&thrown, stop, limit);
	bail_out("there is no end of the stack");
}

NOINLINE static void pass_forced(void *limit)
{
	char something __attribute__((cleanup(clean))) = 0;

	wthrow_it(limit);
	__asm__ volatile("" : "+m"(something));
}

NOINLINE static void force_often(int rounds)
{
	for (volatile int i = 0; i < rounds; i++)
		if (!setjmp(back))
			wpass(__builtin_frame_address(0));
}

static void forced(void)
{
	uint32_t used;

	bind_all(RECORD_CLOCK_TICKS);
	used = calls_state.arena_used;
	wthrow_it = WRAP(force);
	wpass = WRAP(pass_forced);
	force_often(ROUNDS);
	ok(stubs_passed == 2 * ROUNDS, "forced unwinding passes the stubs");
	ok(cleaned == ROUNDS, "and cleans up in between");
	wquiet(NULL);
	ok(all_escaped(SEEN(wthrow_it), ROUNDS) && all_escaped(SEEN(wpass), ROUNDS),
	   "each call has escaped");
	ok(calls_state.arena_used == used && slots_in_use() == 0, "no slot is left in use");
}

/*
 * Threads that end inside wrapped calls.
 */
NOINLINE static void leave(void *unused)
{
	pthread_exit(unused);
}

NOINLINE static void leave_through(void *unused)
{
	char something __attribute__((cleanup(clean))) = 0;

	wleave(unused);
	__asm__ volatile("" : "+m"(something));
}

static void *run_and_end(void *unused)
{
	wpass(unused);
	return unused;
}

static void exits(void)
{
	const int threads = 500;

	bind_all(RECORD_CLOCK_TICKS);
	wleave = WRAP(leave);
	wpass = WRAP(leave_through);
	for (int i = 0; i < threads; i++) {
		pthread_t thread;
		void *answer = NULL;

		if (pthread_create(&thread, NULL, run_and_end, &thrown) ||
		    pthread_join(thread, &answer))
			bail_out("there is no thread to test with");
		if (answer != &thrown)
			bail_out("pthread_exit() has lost its way");
	}
	ok(cleaned == threads, "pthread_exit() cleans up behind wrapped calls");
	ok(all_escaped(SEEN_BY_ALL(wleave), (uint64_t)threads) &&
		   all_escaped(SEEN_BY_ALL(wpass), (uint64_t)threads),
	   "which have escaped");
	ok(calls_state.arena_used < 100 * 64,
	   "and need slots for as many threads as there are at once");
}

static int pipe_ends[2];

NOINLINE static void wait_for_nothing(void *unused)
{
	char byte;

	(void)unused;
	if (read(pipe_ends[0], &byte, 1) < 0)
		bail_out("nothing should ever come");
}

static void cancelled(void)
{
	const int threads = 100;
	bool as_cancelled = true;

	bind_all(RECORD_CLOCK_TICKS);
	wleave = WRAP(wait_for_nothing);
	wpass = WRAP(leave_through);
	if (pipe(pipe_ends))
		bail_out("there is nothing to wait for");
	for (int i = 0; i < threads; i++) {
		pthread_t thread;
		void *answer = NULL;

		if (pthread_create(&thread, NULL, run_and_end, NULL))
			bail_out("there is no thread to test with");
		while (SEEN_BY_ALL(wleave).calls == (uint64_t)i)
			sched_yield();
		pthread_cancel(thread);
		pthread_join(thread, &answer);
		as_cancelled = answer == PTHREAD_CANCELED && as_cancelled;
	}
	ok(as_cancelled && cleaned == threads, "threads are cancelled inside wrapped calls");
	ok(all_escaped(SEEN_BY_ALL(wleave), (uint64_t)threads) &&
		   all_escaped(SEEN_BY_ALL(wpass), (uint64_t)threads),
	   "which have escaped");
}

/* A backtrace shows the callers, and no frames of ours but the stubs. */
static uintptr_t trace[16];
static int trace_length;

static _Unwind_Reason_Code add_to_trace(struct _Unwind_Context *context, void *unused)
{
	(void)unused;
	if (trace_length < 16)
		trace[trace_length++] = (uintptr_t)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

NOINLINE static void look_back(void *unused)
{
	_Unwind_Backtrace(add_to_trace, unused);
	__asm__ volatile("" ::: "memory");
}

NOINLINE static void call_look_back(void *unused)
{
	wthrow_it(unused);
	__asm__ volatile("" ::: "memory");
}

static bool is_stub(int place)
{
	return place < trace_length && trace[place] - (uintptr_t)arch_stubs < ARENA_BYTES;
}

/* Returns whether it is in the function. The function's end is not known, but none here is long. */
static bool is_in(int place, const void *function)
{
	return place < trace_length && trace[place] - (uintptr_t)function < 200;
}

static void backtraces(void)
{
	int stub = 0;

	bind_all(RECORD_CLOCK_TICKS);
	wthrow_it = WRAP(look_back);
	wpass = WRAP(call_look_back);
	wpass(NULL);
	while (stub < trace_length && !is_stub(stub))
		stub++;
	ok(stub > 0 && is_in(stub - 1, (void *)look_back) &&
		   is_in(stub + 1, (void *)call_look_back),
	   "between a function and its caller a backtrace has a stub");
	ok(is_stub(stub + 2) && stub + 4 < trace_length, "and it does not end there");
	ok(all_returned(SEEN(wpass), 1) && all_returned(SEEN(wthrow_it), 1), "it changes nothing");
}

int main(void)
{
	apart("caught by the caller", caught_by_the_caller);
	apart("caught further up", caught_further_up);
	apart("in nanoseconds", in_nanoseconds);
	apart("on its way up", on_its_way_up);
	apart("after a jump", after_a_jump);
	apart("from far below", from_far_below);
	apart("forced", forced);
	apart("pthread_exit()", exits);
	apart("cancelled", cancelled);
	apart("backtraces", backtraces);
	return tap_done();
}
