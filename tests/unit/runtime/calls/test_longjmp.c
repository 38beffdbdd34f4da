/* SPDX-License-Identifier: MIT
 *
 * test_longjmp.c - wrapped calls that are left by longjmp(): each is counted as abandoned once it
 * is noticed, and its slot is reused. The same for jumps out of a signal handler, on any stack.
 */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "../../apart.h"
#include "../../random64.h"
#include "emulated.h"
#include "sys.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))
#define ROUNDS   100000

static sigjmp_buf back;
static void (*wleave)(void), (*wdescend)(long), (*wsignalled)(void), (*wquiet)(void);
static long (*wattempt)(long);

NOINLINE static void leave(void)
{
	siglongjmp(back, 1);
}

/* Goes through so many wrapped calls, and then jumps out of all of them. */
NOINLINE static void descend(long depth)
{
	if (depth == 0)
		wleave();
	wdescend(depth - 1);
	__asm__ volatile("" ::: "memory");
}

NOINLINE static void quiet(void)
{
	__asm__ volatile("" ::: "memory");
}

static void bind_all(void)
{
	wrapped_begin();
	wleave = WRAP(leave);
	wdescend = WRAP(descend);
	wquiet = WRAP(quiet);
	wquiet();
}

/* Returns whether each of n calls was abandoned. */
static bool all_abandoned(struct record_calls seen, uint64_t n)
{
	bool good = seen.calls == n && seen.abandoned == n && !seen.returned && !seen.escaped &&
		    !seen.untimed;

	if (!good)
		note("calls %" PRIu64 " returned %" PRIu64 " escaped %" PRIu64 " abandoned %" PRIu64
		     " untimed %" PRIu64 ", not %" PRIu64,
		     seen.calls, seen.returned, seen.escaped, seen.abandoned, seen.untimed, n);
	return good;
}

/* Jumps out of a wrapped call again and again. */
NOINLINE static void leave_often(long rounds)
{
	for (volatile long i = 0; i < rounds; i++)
		if (!sigsetjmp(back, 0))
			wleave();
}

static void many_times(void)
{
	uint32_t used;

	bind_all();
	leave_often(1);
	used = calls_state.arena_used;
	leave_often(ROUNDS - 1);
	ok(calls_state.arena_used == used && slots_in_use() <= 1,
	   "a hundred thousand calls that are left need no more slots than one");
	wquiet();
	ok(all_abandoned(SEEN(wleave), ROUNDS), "all of them are counted as abandoned");
	ok(slots_in_use() == 0, "no slot is left in use");
	ok(SEEN(wleave).sum == 0 && SEEN(wleave).min == UINT64_MAX, "they have no times");
}

NOINLINE static void descend_and_leave(long depth)
{
	if (!sigsetjmp(back, 0))
		wdescend(depth);
}

static void over_many_frames(void)
{
	uint64_t state = 1, calls = 0;
	uint32_t used;

	bind_all();
	descend_and_leave(999);
	used = calls_state.arena_used;
	for (int i = 0; i < 1000; i++) {
		long depth = (long)random64_below(&state, 1000);

		descend_and_leave(depth);
		calls += (uint64_t)depth + 1;
	}
	wquiet();
	ok(calls_state.arena_used == used && slots_in_use() == 0,
	   "jumps over up to a thousand calls give all their slots back");
	ok(all_abandoned(SEEN(wdescend), calls + 1000) && all_abandoned(SEEN(wleave), 1001),
	   "each of the calls is abandoned");
}

/* Continues after its callee was left. */
NOINLINE static long attempt(long depth)
{
	if (!sigsetjmp(back, 0))
		wdescend(depth);
	return depth;
}

static void out_of_the_middle(void)
{
	bool right = true;

	bind_all();
	wattempt = WRAP(attempt);
	for (long i = 0; i < 1000; i++)
		right = wattempt(i % 100) == i % 100 && right;
	ok(right && all_returned(SEEN(wattempt), 1000),
	   "the function that catches the jump returns as usual");
	ok(slots_in_use() == 0, "and gives the slots of those that were left back as well");
	ok(all_abandoned(SEEN(wleave), 1000), "they were abandoned");
}

/*
 * The stack of the first thread grows, long after the first call.
 */
NOINLINE static void from_far_below(long kilobytes)
{
	volatile char space[1024];

	space[0] = 1;
	if (kilobytes > 0)
		from_far_below(kilobytes - 1);
	else
		wleave();
	space[1] = space[0];
}

static void on_a_stack_that_grows(void)
{
	const int rounds = 100;

	bind_all();
	leave_often(1);
	for (volatile int i = 0; i < rounds; i++)
		if (!sigsetjmp(back, 0))
			from_far_below(2048);
	wquiet();
	ok(slots_in_use() == 0,
	   "calls from where the stack had not been yet give their slots back");
	ok(all_abandoned(SEEN(wleave), (uint64_t)rounds + 1), "they are abandoned");
}

static pid_t tid;

static void *run_thread(void *run)
{
	tid = sys_gettid();
	((void (*)(void))run)();
	return NULL;
}

/* Returns when the kernel, too, has no such thread any more: pthread_join() may return earlier. */
static void in_a_thread(const pthread_attr_t *attributes, void (*run)(void))
{
	pthread_t thread;

	if (pthread_create(&thread, attributes, run_thread, (void *)run) ||
	    pthread_join(thread, NULL))
		bail_out("there is no thread to test in");
	while (sys_tgkill(sys_getpid(), tid, 0) == 0)
		sched_yield();
}

static void leave_in_thread(void)
{
	leave_often(ROUNDS / 10);
	wquiet();
	ok(slots_in_use() == 0 && all_abandoned(SEEN(wleave), ROUNDS / 10),
	   "in another thread it is the same");
}

static void in_another_thread(void)
{
	bind_all();
	in_a_thread(NULL, leave_in_thread);
}

/* The child's only thread has the process's pid, but not the stack that goes with it. */
static void leave_in_child(void)
{
	pid_t child = apart_fork();

	if (child == 0) {
		leave_often(1000);
		wquiet();
		_exit(slots_in_use() == 0 && SEEN(wleave).abandoned == 1000 ? 0 : 1);
	}
	ok(apart_wait(child) == 0, "nor does a child of a thread lose any slots");
}

static void in_a_child_of_a_thread(void)
{
	bind_all();
	in_a_thread(NULL, leave_in_child);
}

/*
 * A thread ends with abandoned slots: its successor finds them, even if its own stack is elsewhere.
 */
static void leave_and_end(void)
{
	leave_often(1);
}

static void quiet_in_thread(void)
{
	wquiet();
}

static void at_the_end_of_threads(void)
{
	const int threads = 500;
	uint32_t used = 0;

	bind_all();
	for (int i = 0; i < threads; i++) {
		pthread_attr_t attributes;

		/* libc reuses a stack for a thread that needs one as large or smaller. */
		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, (size_t)(64 + i) << 10);
		in_a_thread(&attributes, leave_and_end);
		if (i == threads / 2)
			used = calls_state.arena_used;
	}
	/* Threads without a successor get one now. */
	for (int i = 0; i < 200; i++)
		in_a_thread(NULL, quiet_in_thread);
	ok(calls_state.arena_used == used,
	   "threads that end with calls that were left need no more slots in the end");
	ok(SEEN_BY_ALL(wleave).abandoned == (uint64_t)threads, "and those calls are abandoned");
	if (SEEN_BY_ALL(wleave).abandoned != (uint64_t)threads)
		note("%" PRIu64 " of %d", SEEN_BY_ALL(wleave).abandoned, threads);
}

/*
 * Signals whose handlers run on a stack of their own, and jump out.
 */
static void on_signal(int sig)
{
	(void)sig;
	wleave();
}

NOINLINE static void signalled(void)
{
	raise(SIGUSR1);
	wquiet();
}

static void handle_on(void *stack, size_t size, int flags)
{
	stack_t handlers = { .ss_sp = stack, .ss_size = size, .ss_flags = flags };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER };

	if (sigaltstack(&handlers, NULL) || sigaction(SIGUSR1, &action, NULL))
		bail_out("there is no stack for signal handlers");
}

/* A wrapped call is interrupted, and the handler leaves it and its own by one jump. */
NOINLINE static void signal_often(long rounds)
{
	for (volatile long i = 0; i < rounds; i++)
		if (!sigsetjmp(back, 1))
			wsignalled();
}

#define SIGNALS 5000

/* Checks that the slots and the counts are right. */
static void check_settled(const char *where)
{
	ok(slots_in_use() == 0, "%s: all slots are given back", where);
	ok(all_abandoned(SEEN(wsignalled), SIGNALS) && all_abandoned(SEEN(wleave), SIGNALS),
	   "%s: what was interrupted is abandoned, as is what the handler called", where);
}

static void (*wsignal_often)(long);

static void check_signals(const char *where)
{
	uint32_t used;

	wsignalled = WRAP(signalled);
	wsignal_often = WRAP(signal_often);
	wsignal_often(200);
	used = calls_state.arena_used;
	wsignal_often(SIGNALS - 200);
	ok(calls_state.arena_used == used, "%s: jumps out of handlers need no more slots", where);
	if (calls_state.arena_used != used)
		note("%u before, %u now", used, calls_state.arena_used);
	check_settled(where);
}

/* The next call notices already, if addresses show that the call was left. */
static void check_signals_at_once(const char *where)
{
	wsignalled = WRAP(signalled);
	signal_often(SIGNALS);
	ok(slots_in_use() < 10, "%s: few slots are in use at any time", where);
	wquiet();
	check_settled(where);
}

static void handlers_on_the_same_stack(void)
{
	bind_all();
	handle_on(NULL, 0, SS_DISABLE);
	check_signals_at_once("on the same stack");
}

static char elsewhere[65536];

/* The next call notices if the handlers' stack is below the caller's. A call on a stack above might
 * be its caller by the address, and is noticed when a caller of both returns. Programs are loaded
 * below the first thread's stack, but an emulator may do otherwise. */
static void handlers_elsewhere(void)
{
	bind_all();
	handle_on(elsewhere, sizeof(elsewhere), 0);
	if ((uintptr_t)elsewhere < (uintptr_t)__builtin_frame_address(0))
		check_signals_at_once("on a stack elsewhere");
	else
		check_signals("on a stack elsewhere");
}

/* The handlers' stack is above the thread's own, and no part of it. */
static struct {
	_Alignas(4096) char thread[1 << 18];
	char handlers[65536];
} stacks;

static void check_higher_in_thread(void)
{
	handle_on(stacks.handlers, sizeof(stacks.handlers), 0);
	check_signals("on a higher stack");
}

static void handlers_on_a_higher_stack(void)
{
	pthread_attr_t attributes;

	bind_all();
	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stacks.thread, sizeof(stacks.thread)))
		bail_out("the thread's stack cannot be set");
	in_a_thread(&attributes, check_higher_in_thread);
}

/* Above all running code, so that by its address it might be a caller. */
static void handlers_above(void)
{
	char above[65536];

	bind_all();
	handle_on(above, sizeof(above), 0);
	check_signals("on a part of the thread's own stack");
	handle_on(NULL, 0, SS_DISABLE);
}

static void check_above_in_thread(void)
{
	char above[65536];

	handle_on(above, sizeof(above), 0);
	check_signals("on a part of another thread's own stack");
	handle_on(NULL, 0, SS_DISABLE);
}

static void handlers_above_in_thread(void)
{
	bind_all();
	in_a_thread(NULL, check_above_in_thread);
}

/* Handlers that return: the interrupted code continues, whichever of the stacks is higher. */
static void (*wmeanwhile)(void);

static void on_signal_return(int sig)
{
	(void)sig;
	wmeanwhile();
}

NOINLINE static void meanwhile(void)
{
	wquiet();
	wquiet();
}

static struct record_calls signal_and_return(void *stack, size_t size, int flags)
{
	struct sigaction action = { .sa_handler = on_signal_return, .sa_flags = SA_ONSTACK };
	struct record_calls before = SEEN(wsignalled), now;

	handle_on(stack, size, flags);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 1000; i++)
		wsignalled();
	handle_on(NULL, 0, SS_DISABLE);
	now = SEEN(wsignalled);
	return (struct record_calls){ .calls = now.calls - before.calls,
				      .returned = now.returned - before.returned,
				      .abandoned = now.abandoned - before.abandoned,
				      .untimed = now.untimed - before.untimed };
}

static void check_returning(void *stack, size_t size, int flags, const char *where)
{
	ok(all_returned(signal_and_return(stack, size, flags), 1000),
	   "%s: what a handler interrupts goes on", where);
	ok(slots_in_use() == 0, "%s: no slot is left in use", where);
}

static void handlers_that_return(void)
{
	char above[65536];

	bind_all();
	wsignalled = WRAP(signalled);
	wmeanwhile = WRAP(meanwhile);
	check_returning(NULL, 0, SS_DISABLE, "on the same stack");
	check_returning(elsewhere, sizeof(elsewhere), 0, "on a stack elsewhere");
	check_returning(above, sizeof(above), 0, "on a part of the thread's own stack");
	ok(SEEN(wmeanwhile).calls == 3000 && SEEN(wmeanwhile).returned == 3000,
	   "and what the handler calls is counted");
}

/*
 * The kernel does not report such a stack while a handler runs there. If it is a part of the
 * thread's own, the interrupted calls seem to be gone: they need not be timed, but must continue.
 */
static void handlers_on_disarmed_stack(void)
{
	char above[65536];
	struct record_calls seen;

	bind_all();
	wsignalled = WRAP(signalled);
	wmeanwhile = WRAP(meanwhile);
	check_returning(elsewhere, sizeof(elsewhere), (int)SS_AUTODISARM,
			"elsewhere, with SS_AUTODISARM");
	seen = signal_and_return(above, sizeof(above), (int)SS_AUTODISARM);
	ok(seen.calls == 1000 && seen.returned + seen.abandoned + seen.untimed == 1000,
	   "code that such a handler interrupts goes on too, if the stack is part of the thread's "
	   "own");
	wquiet();
	ok(slots_in_use() == 0, "no slot is left in use");
}

int main(void)
{
	apart("many times", many_times);
	apart("over many frames", over_many_frames);
	apart("out of the middle", out_of_the_middle);
	apart("on a stack that grows", on_a_stack_that_grows);
	apart("in another thread", in_another_thread);
	if (!wipes_on_fork())
		skip("in a child of a thread", NO_WIPE);
	else
		apart("in a child of a thread", in_a_child_of_a_thread);
	apart("at the end of threads", at_the_end_of_threads);
	apart("handlers on the same stack", handlers_on_the_same_stack);
	apart("handlers elsewhere", handlers_elsewhere);
	apart("handlers on a higher stack", handlers_on_a_higher_stack);
	apart("handlers above", handlers_above);
	apart("handlers above in a thread", handlers_above_in_thread);
	apart("handlers that return", handlers_that_return);
	if (!disarms_stacks())
		skip("handlers on a disarmed stack", NO_AUTODISARM);
	else
		apart("handlers on a disarmed stack", handlers_on_disarmed_stack);
	return tap_done();
}
