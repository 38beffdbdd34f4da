/* SPDX-License-Identifier: MIT */
#include "start.h"

#include <errno.h>

#include "base/export.h"
#include "arena.h"
#include "functions.h"
#include "process.h"
#include "runtime/process/instant.h"
#include "tallies.h"
#include "runtime.h"
#include "put_back.h"
#include "state.h"
#include "threads.h"
#include "waits.h"

/* calls_state.started */
enum { STARTING = 1, STARTED = 2 };

/* Calibration takes the fastest of so many batches, which is the one without disturbance. */
#define BATCHES 16
#define BATCH   64

uint32_t calls_alive[1024] __attribute__((aligned(4096)));

/* Starts the runtime. Called by arch_enter_start. */
void calls_start(void);

EXPORT int dwell_calls_attach(const char *data, const char *library)
{
	int err = room_attach(data);

	return err ? err : start_process(library);
}

int start_process(const char *library)
{
	struct record_header *header = room_header();
	bool may_count = instant_begin(header);
	/* Without it, a child would count as its parent. */
	int err = sys_madvise(calls_alive, sizeof(calls_alive), MADV_WIPEONFORK);

	if (!err && !calls_state.arena_ready)
		err = arena_reserve();
	if (!err && !functions_reserve(0))
		err = -ENOMEM;
	if (err)
		return err;
	calls_alive[CALLS_ALIVE] = ALIVE;
	calls_state.flags = header->flags;
	calls_state.clock = header->clock;
	calls_state.library = library;
	calls_state.is_timeless = !may_count && header->clock == RECORD_CLOCK_TICKS;
	calls_state.origin = instant_now();
	waits_find_rate(header);
	process_start(false);
	return calls_state.entry.process ? 0 : -1;
}

EXPORT bool dwell_calls_repairs(void)
{
	return calls_state.repairs_faults;
}

static uintptr_t counting;

EXPORT const uintptr_t *dwell_calls_counting(void)
{
	return &counting;
}

void start_stop(void)
{
	counting = 0;
	calls_state.started = 0;
	calls_state.is_timeless = false;
	for (uint32_t i = 0; i <= calls_state.function_count; i++)
		calls_functions[i].enter = arch_enter_plain;
}

/* Returns whether C must find tallies: the assembly takes the one of a function, if it has one. */
static bool finds_in_c(void)
{
	return calls_state.flags & (RECORD_BY_CALLER | RECORD_PAUSABLE);
}

/* Returns whether C must time calls: the assembly reads the CPU's counter. */
static bool needs_c(void)
{
	return finds_in_c() || calls_state.clock != RECORD_CLOCK_TICKS;
}

void (*start_way_in(const struct callee *function))(void)
{
	if (__atomic_load_n(&calls_state.started, __ATOMIC_ACQUIRE) != STARTED)
		return arch_enter_start;
	if (!calls_state.entry.process)
		return arch_enter_plain;
	if (function->resolver)
		return arch_enter_resolver;
	if (function->flags & RECORD_COUNTED || calls_state.flags & RECORD_COUNT_ONLY ||
	    calls_state.is_timeless)
		return finds_in_c() ? arch_enter_count_whole : arch_enter_count;
	if (needs_c())
		return arch_enter_whole;
	return calls_state.flags & RECORD_SAMPLE_TIMING ? arch_enter_sampled : arch_enter_timed;
}

void start_set_ways_in(void)
{
	for (uint32_t i = 1; i <= calls_state.function_count; i++)
		calls_functions[i].enter = start_way_in(&calls_functions[i]);
}

/* Times calls by the kernel's clock from now on. */
void start_without_counter(void)
{
	sys_sigset mask = state_block_signals();
	struct calls_thread *thread;

	instant_stand(instant_now());
	if (calls_state.clock == RECORD_CLOCK_TICKS) {
		calls_state.is_timeless = true;
		start_set_ways_in();
		thread = calls_state.started == STARTED ? threads_this() : NULL;
		if (thread)
			put_back_stack(thread, (uintptr_t)__builtin_frame_address(0));
	}
	state_restore_signals(mask);
}

void start_after_fork(void)
{
	if (calls_state.started != STARTING)
		return;
	calls_state.started = 0;
	calls_state.flags = room_header()->flags; /* calibrate() may have been about to */
}

/* Returns how many ticks a call of `function` takes, in a batch. */
static uint64_t time_of(void (*function)(void))
{
	uint64_t best = UINT64_MAX;

	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = instant_now(), end;

		for (int i = 0; i < BATCH; i++)
			function();
		end = instant_now();
		if (end - start < best)
			best = end - start;
	}
	return best / BATCH;
}

/*
 * Wraps an empty function, to measure the overhead. Function 0 is reserved for it; its tally is not
 * in the recording.
 */
static void calibrate(struct calls_thread *thread)
{
	static struct tally tally;
	static uint64_t bins[2 * RECORD_BINS];
	uint32_t flags = calls_state.flags;
	struct callee *function = &calls_functions[0];
	void (*wrapped)(void) = (void (*)(void))arch_redirector(0);
	uint64_t direct, measured;

	for (int i = 0; i < RECORD_OCTAVES; i++)
		tally.octaves[i] = bins;
	tally.seen.caller = RECORD_NO_CALLER;
	function->target = (void *)arch_nothing;
	function->enter = needs_c() ? arch_enter_whole : arch_enter_timed;
	thread->tallies[0] = &tally;
	calls_state.flags &= ~(uint32_t)(RECORD_BY_CALLER | RECORD_SAMPLE_TIMING);
	direct = time_of(arch_nothing);
	calls_state.cost = time_of(wrapped);
	calls_state.cost = calls_state.cost > direct ? calls_state.cost - direct : 0;
	/* Once more, now for the time that it measures itself. */
	tally.seen.sum = tally.seen.returned = 0;
	measured = UINT64_MAX;
	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t before = tally.seen.sum;

		for (int i = 0; i < BATCH; i++)
			wrapped();
		if (tally.seen.sum - before < measured)
			measured = tally.seen.sum - before;
	}
	measured /= BATCH;
	calls_state.inside = measured > direct ? measured - direct : 0;
	if (calls_state.inside > calls_state.cost)
		calls_state.inside = calls_state.cost;
	thread->tallies[0] = NULL;
	calls_state.flags = flags;
}

static void start(void)
{
	struct calls_thread *thread = threads_this();

	if (thread && !(calls_state.flags & RECORD_COUNT_ONLY) && !calls_state.is_timeless &&
	    tallies_reserve(thread)) {
		calibrate(thread);
		calls_state.entry.process->inside = calls_state.inside;
		calls_state.entry.process->outside = calls_state.cost - calls_state.inside;
	}
	counting = (uintptr_t)&calls_this - arch_thread_pointer();
	__atomic_store_n(&calls_state.started, STARTED, __ATOMIC_RELEASE);
}

/*
 * Sets the ways in. The next thread sets the one of a function that was bound while the first
 * thread was here.
 */
void calls_start(void)
{
	sys_sigset mask = state_block_signals();
	uint32_t not_yet = 0;

	threads_after_fork();
	if (__atomic_compare_exchange_n(&calls_state.started, &not_yet, STARTING, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		start();
	while (__atomic_load_n(&calls_state.started, __ATOMIC_ACQUIRE) != STARTED)
		sys_sched_yield();
	start_set_ways_in();
	state_restore_signals(mask);
}
