/* SPDX-License-Identifier: MIT
 *
 * sampler.c - see sampler.h for the context of each function.
 *
 * Ticks and changes of the setting are kept apart like this: the handler counts itself into
 * `handlers`, then reads `sink`; a change clears the sink, then waits until `handlers` is 0. A
 * later handler sees no sink. A tick never waits for anything.
 */
#include "sampler.h"

#include <errno.h>
#include <profil.h>
#include <pthread.h>
#include <stddef.h>

#include "altstack_guard.h"
#include "base/limits.h"
#include "base/scramble.h"
#include "sampler_state.h"
#include "signal_guard.h"
#include "signals.h"
#include "thread_hook.h"
#include "tick_path.h"
#include "watchdog.h"

/* Undefined in static programs. */
#pragma weak altstack_guard_ticks_changed
#pragma weak signal_guard_ticks_changed

struct sampler sampler;

/* ---- counting ---- */

/* Plans a search for threads that no hook reported, once per second of CPU time. Under the lock. */
static void plan_census(void)
{
	atomic_store(&sampler.census_at, atomic_load(&sampler.samples) + sampler.hz);
}

/* Counts ticks in a sink. Returns whether work is left that needs the lock. */
TICK_PATH static bool count(struct sink *sink, const struct sink_ticks *ticks)
{
	uint64_t weight = ticks->weight, before;

	before = atomic_fetch_add_explicit(&sampler.samples, weight, memory_order_relaxed);
	switch (sink->take(sink, ticks)) {
	case SINK_DONE:
		atomic_compare_exchange_strong(&sampler.sink, &sink, NULL);
		return true;
	case SINK_OUTSIDE:
		atomic_fetch_add_explicit(&sampler.outside, weight, memory_order_relaxed);
		break;
	case SINK_COUNTED:
		break;
	}
	return before + weight >= atomic_load_explicit(&sampler.census_at, memory_order_relaxed);
}

/* Bills whole ticks, for a sink that counts no others. Returns the rest. */
static int64_t bill_ticks(struct sink *sink, struct thread *thread, int64_t ns, uintptr_t pc)
{
	int64_t tick_ns = (int64_t)sampler.tick_ns;

	if (!pc || ns < tick_ns)
		return ns;
	count(sink, &(struct sink_ticks){
			    .pc = pc, .weight = (uint64_t)(ns / tick_ns), .thread = thread });
	return ns % tick_ns;
}

int64_t sampler_bill(struct thread *thread, int64_t ns, uintptr_t pc)
{
	struct sink *sink = sampler.bill_to;
	int64_t rest;

	if (!sink)
		return ns;
	if (!sink->settle)
		return bill_ticks(sink, thread, ns, pc);
	rest = sink->settle(sink, thread, ns, pc);
	sampler.settled_ns += ns - rest;
	return rest;
}

/* Bills the time of threads that come and go between two censuses, where no hook reports them. It
 * is missing from the time of the process, and is billed to the place where the watchdog finds the
 * process. Under the lock. */
static void bill_unseen(uintptr_t pc)
{
	int64_t tick_ns = (int64_t)sampler.tick_ns;
	int64_t used_ns = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - sampler.cpu_start_ns;
	int64_t unseen_ns =
		used_ns - (int64_t)atomic_load(&sampler.samples) * tick_ns - roster_owed_ns();

	atomic_store(&sampler.last_pc, pc);
	if (sampler.bill_to)
		bill_ticks(sampler.bill_to, NULL, unseen_ns, pc);
}

/* ---- start and stop ---- */

static void forget_counts(void)
{
	atomic_store(&sampler.signals, 0);
	atomic_store(&sampler.samples, 0);
	atomic_store(&sampler.outside, 0);
	atomic_store(&sampler.last_pc, 0);
	plan_census();
	sampler.cpu_start_ns = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	sampler.settled_ns = 0;
	sampler.cpu_used_ns = 0;
	sampler.slack_at_stop = 0;
}

/* Forgets the clock, if any: it is the parent's. */
static void forget_parent(void)
{
	roster_forget();
	watchdog_forget();
	atomic_store(&sampler.handlers, 0);
	atomic_store(&sampler.sink, NULL);
	sampler.bill_to = NULL;
	sampler.clock = NULL;
	forget_counts();
}

/* Handles a fork that was not reported. */
static void notice_fork(void)
{
	if (sampler.clock && sampler.pid != sys_getpid())
		forget_parent();
}

static int refused(int error, const char *sentence)
{
	sampler.refusal = (struct clock_refusal){ error, sentence };
	return -error;
}

static bool is_valid(const struct sampler_setting *setting)
{
	return setting->hz > 0 && setting->hz <= LIMIT_HZ;
}

static int open_clock(const struct sampler_setting *setting)
{
	if (!is_valid(setting))
		return refused(EINVAL, setting->hz_refusal);
	sampler.hz = setting->hz;
	sampler.tick_ns = UINT64_C(1000000000) / setting->hz;
	sampler.refusal = (struct clock_refusal){ EINVAL, setting->clock_refusal };
	sampler.own_clock = setting->own_clock;
	if (!sampler.own_clock)
		sampler.clock = clock_open(setting->clock, sampler.tick_ns, &sampler.refusal);
	else if (sampler.own_clock->open(sampler.tick_ns, &sampler.refusal))
		sampler.clock = sampler.own_clock;
	if (!sampler.clock)
		return -sampler.refusal.error;
	/* Not the caller's string, which need not last. */
	sampler.wanted = setting->clock ? sampler.clock->name : NULL;
	sampler.pid = sys_getpid();
	sampler.system_time = sampler.clock->system_time();
	atomic_store(&sampler.last_clock, sampler.clock);
	if (&altstack_guard_ticks_changed)
		altstack_guard_ticks_changed();
	if (&signal_guard_ticks_changed)
		signal_guard_ticks_changed();
	return 0;
}

static void close_clock(void)
{
	if (!sampler.clock)
		return;
	sampler.cpu_used_ns = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - sampler.cpu_start_ns;
	sampler.slack_at_stop = roster_count().slack;
	watchdog_stop();
	roster_close();
	sampler.clock->close();
	sampler.clock = NULL;
}

/* Returns a fraction of a tick, different for each process. */
static int64_t process_phase(void)
{
	uint32_t random = scramble((uint32_t)sampler.pid ^ (uint32_t)sys_clock_ns(CLOCK_MONOTONIC));

	return (int64_t)((uint64_t)random * sampler.tick_ns >> 32);
}

/* Sets the past of a clock for the whole process. */
static void owe_past(const struct roster_past *past)
{
	int64_t used_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - past->since_ns;

	if (past->is_owed && sampler.clock->owe)
		sampler.clock->owe(sampler_bill(NULL, used_ns, past->pc));
}

/* Starts ticks for all threads, including future ones. The child of a fork owes all the time that
 * it has used. */
static int arm_clock(const struct sink *sink, bool is_child)
{
	bool is_time = !sampler.clock->counts_events;
	struct roster_past past = { .lent_ns =
					    sink->is_one_of_many && is_time ? process_phase() : 0,
				    .is_owed = (sink->has_past || is_child) && is_time,
				    .since_ns = is_child ? 0 : sink->past_since_ns,
				    .pc = is_child ? 0 : sink->past_pc,
				    .counts_ns = sink->settle };
	int err;

	if (!sampler.clock->arm) {
		owe_past(&past);
		return 0;
	}
	err = roster_open(sampler.clock, sampler.tick_ns, sampler_bill, &past);
	if (err) {
		atomic_store(&sampler.sink, NULL);
		close_clock();
		return refused(-err, "there is no memory for threads");
	}
	if (!thread_hook_works())
		watchdog_start(sampler.tick_ns);
	return 0;
}

static int turn_to(struct sink *sink, const struct sampler_setting *setting, bool is_child)
{
	bool runs;
	int err = 0;

	sampler_detach();
	runs = sampler.clock != NULL;
	if (!runs)
		err = open_clock(setting);
	if (err)
		return err;
	sampler.refusal.sentence = NULL;
	forget_counts();
	/* First the sink, then the threads: a thread that starts meanwhile then finds itself
	 * wanted. */
	sampler.bill_to = sink;
	atomic_store(&sampler.sink, sink);
	if (!runs)
		err = arm_clock(sink, is_child);
	sampler.settled_ns = 0; /* the clock has not seen the past */
	return err;
}

int sampler_start(struct sink *sink, const struct sampler_setting *setting)
{
	return turn_to(sink, setting, false);
}

static void wait_for_handlers(void)
{
	while (atomic_load(&sampler.handlers))
		sys_sched_yield();
}

void sampler_detach(void)
{
	notice_fork();
	atomic_store(&sampler.sink, NULL);
	wait_for_handlers();
	sampler.bill_to = NULL;
}

void sampler_stop(void)
{
	struct sink *sink;

	notice_fork();
	sink = atomic_exchange(&sampler.sink, NULL);
	wait_for_handlers();
	if (sink && sink->settle) {
		sampler_settle_with(sink);
	} else if (sink) {
		roster_settle(true);
		if (watchdog_watches() && sampler.last_pc)
			bill_unseen(sampler.last_pc);
	}
	close_clock();
	sampler.bill_to = NULL;
}

const char *sampler_clock_name(void)
{
	return atomic_load(&sampler.last_clock)->name;
}

uint64_t sampler_tick_ns(const struct sampler_setting *setting)
{
	if (sampler.clock)
		return sampler.tick_ns;
	return UINT64_C(1000000000) / (is_valid(setting) ? setting->hz : 100);
}

void sampler_info(struct profil_clock_info *info)
{
	const struct clock *clock = atomic_load(&sampler.last_clock);
	struct roster_count count;
	uint64_t due, slack;
	int64_t cpu_ns;

	notice_fork();
	count = roster_count();
	*info = (struct profil_clock_info){
		.clock = clock ? clock->name : NULL,
		.system_time = sampler.system_time,
		.problem = sampler.refusal.sentence,
		.running = atomic_load(&sampler.sink) != NULL,
		.asked_hz = sampler.hz,
		.samples = atomic_load(&sampler.samples),
		.signals = atomic_load(&sampler.signals),
		.outside = atomic_load(&sampler.outside),
		.threads = count.threads,
		.unwatched = count.unwatched,
	};
	if (!clock || clock->counts_events)
		return;
	cpu_ns = sampler.clock ? sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - sampler.cpu_start_ns
			       : sampler.cpu_used_ns;
	if (cpu_ns < 0) /* a sandbox forbids reading it */
		return;
	info->cpu_seconds = (double)cpu_ns / 1e9;
	info->achieved_hz = cpu_ns > 0 ? (double)info->signals / info->cpu_seconds : 0;
	/* Each thread may be within a few ticks of its next one; that is not lost. */
	cpu_ns -= sampler.settled_ns;
	due = cpu_ns > 0 ? (uint64_t)cpu_ns / sampler.tick_ns : 0;
	slack = 1 + (sampler.clock ? count.slack : sampler.slack_at_stop);
	info->lost = due > info->samples + slack ? due - info->samples : 0;
}

/* ---- the handler ---- */

/* Calls count() and times it. Counted as a handler that a stop waits for, so that the thread is not
 * disarmed meanwhile. */
static bool count_timed(struct sink *sink, const struct sink_ticks *ticks)
{
	const struct clock *clock = atomic_load(&sampler.last_clock);
	int64_t began_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bool chores = count(sink, ticks);

	/* A sandbox may forbid the clock: then the thread keeps its rate. */
	if (began_ns >= 0 && governor_timed(&ticks->thread->governor, began_ns,
					    sys_clock_ns(CLOCK_THREAD_CPUTIME_ID), sampler.tick_ns))
		clock->pace(ticks->thread);
	return chores;
}

TICK_PATH static bool on_tick(struct sink *sink, struct tick tick, const ucontext_t *uc)
{
	uintptr_t pc = arch_pc(uc);
	struct sink_ticks ticks = { pc, tick.weight, tick.thread, uc, tick.is_coarse };

	if (tick.weight == 0)
		return false;
	if (tick.thread)
		tick.thread->last_pc = pc;
	atomic_store_explicit(&sampler.last_pc, pc, memory_order_relaxed);
	atomic_fetch_add_explicit(&sampler.signals, 1, memory_order_relaxed);
	if (sink->is_governed && tick.thread && governor_wants(&tick.thread->governor))
		return count_timed(sink, &ticks);
	return count(sink, &ticks);
}

TICK_PATH static bool take_tick(const struct clock *clock, struct sink *sink, const siginfo_t *info,
				const ucontext_t *uc)
{
	struct tick tick = clock->tick_of(info, uc);
	bool chores = on_tick(sink, tick, uc);

	if (clock->tick_done && tick.thread)
		clock->tick_done(tick.thread);
	return chores;
}

/* Accepts late ticks, of a clock that another one has replaced. */
TICK_PATH bool sampler_owns(const siginfo_t *info)
{
	const struct clock *clock = atomic_load(&sampler.last_clock);

	if (!clock)
		return false;
	if (clock->owns(info))
		return true;
	for (const struct clock *const *c = clocks; *c; c++)
		if ((*c)->owns(info))
			return true;
	return watchdog_barked(info);
}

TICK_PATH bool sampler_signal(siginfo_t *info, void *uc)
{
	const struct clock *clock, *last_clock = atomic_load(&sampler.last_clock);
	bool barked = watchdog_barked(info), chores = barked;
	bool is_tick = last_clock && !barked && last_clock->owns(info);
	struct sink *sink;

	if (!is_tick && !sampler_owns(info))
		return false;

	atomic_fetch_add(&sampler.handlers, 1);
	sink = atomic_load(&sampler.sink);
	clock = atomic_load(&sampler.last_clock);
	if (!sink)
		chores = true; /* a late tick, or one of a clock that is no longer needed */
	else if (clock == last_clock ? is_tick : !barked && clock->owns(info))
		chores = take_tick(clock, sink, info, uc);
	atomic_fetch_sub(&sampler.handlers, 1);

	/* If another thread holds the lock, a later tick will do it. */
	if (chores && lock_try_in_handler()) {
		sink = atomic_load(&sampler.sink);
		if (!sink) {
			sampler_stop();
		} else {
			roster_census();
			plan_census();
			if (sink->chore)
				sink->chore(sink);
			if (barked)
				bill_unseen(arch_pc(uc));
		}
		lock_release_in_handler();
	}
	return true;
}

/* ---- fork ---- */

/*
 * Runs in the child, which has one thread and none of our timers and events. It goes on only if the
 * dialect requires that; its buffer is a copy of its own.
 *
 * The lock is not held across the fork: libc takes malloc's locks for it, and a thread that holds
 * one of those may be in a signal handler that waits for ours. So the lock may have been copied
 * while another thread held it. State that the other thread was changing is rebuilt here; a sink is
 * changed only while it is not in place, so one that is in place is complete.
 */
static void after_fork_in_child(void)
{
	struct sink *sink = atomic_load(&sampler.sink);
	struct sampler_setting setting = { .hz = sampler.hz,
					   .clock = sampler.wanted,
					   .own_clock = sampler.own_clock };
	sys_sigset mask;

	lock_reset();
	mask = lock_take();
	signals_reclaim();
	forget_parent();
	if (sink && sink->follows_fork) {
		if (sink->forked)
			sink->forked(sink);
		turn_to(sink, &setting, true);
	}
	lock_release(mask);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, after_fork_in_child);
}
