/* SPDX-License-Identifier: MIT
 *
 * sampler.c - see sampler.h for who may call what.
 *
 * How a tick and a change of the setting keep out of each other's way: the handler counts itself
 * into `handlers`, then reads `sink`; a change takes the sink away, then waits until `handlers` is
 * 0. Whoever comes later sees no sink. The handler never waits for anything.
 */
#include "sampler.h"

#include <errno.h>
#include <profil.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/scramble.h"
#include "census.h"
#include "clock.h"
#include "config.h"
#include "signals.h"
#include "thread_hook.h"
#include "watchdog.h"

static struct {
	atomic_flag locked;
	pid_t pid; /* of the process whose clock is running; a forked child has another */

	_Atomic(struct sink *) sink; /* NULL: ticks are not wanted */
	_Atomic unsigned int handlers;

	const struct clock *clock; /* NULL: no clock is running */
	uint64_t tick_ns;
	uint32_t hz;
	struct clock_refusal refusal; /* of the last start; sentence NULL: it went well */

	/*
	 * CPU time that threads which have ended were still owing, or, below 0, had been billed in
	 * advance. The next thread born takes it over, and so many short threads one after
	 * another add up to their due.
	 */
	int64_t left_over_ns;
	uint32_t births;               /* of threads that the hook told us of */
	uint32_t alive;                /* those of them that are watched */
	_Atomic bool somebody_is_mute; /* or has been */
	unsigned int unwatched;        /* threads without a record, for want of room */

	/* Since the last start. */
	_Atomic uint64_t signals, samples, outside;
	int64_t cpu_start_ns;
	int64_t cpu_used_ns; /* of a clock that has stopped */
	const struct clock *last_clock;
	const char *last_system_time;
} sampler = { .locked = ATOMIC_FLAG_INIT };

/* ---- the lock ---- */

sys_sigset sampler_lock(void)
{
	const sys_sigset all = ~(sys_sigset)0;
	sys_sigset mask;

	sys_sigprocmask(SIG_BLOCK, &all, &mask);
	while (atomic_flag_test_and_set_explicit(&sampler.locked, memory_order_acquire))
		sys_sched_yield();
	return mask;
}

void sampler_unlock(sys_sigset mask)
{
	atomic_flag_clear_explicit(&sampler.locked, memory_order_release);
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
}

void sampler_unlock_listening(sys_sigset mask)
{
	sys_sigset blocked_ticks = mask & signals_of_ticks();

	signals_withhold(signals_withheld() | blocked_ticks);
	sampler_unlock(mask & ~blocked_ticks);
}

/* In the handler, where signals are blocked already. */
static bool handler_try_lock(void)
{
	return !atomic_flag_test_and_set_explicit(&sampler.locked, memory_order_acquire);
}

static void handler_unlock(void)
{
	atomic_flag_clear_explicit(&sampler.locked, memory_order_release);
}

/* ---- counting ---- */

/* Once a second of CPU time: threads that no hook told us of. */
static bool census_is_due(uint64_t samples_before, uint64_t weight)
{
	return samples_before / sampler.hz != (samples_before + weight) / sampler.hz;
}

/*
 * Ticks into the sink: in the handler, or under the lock when no handler has the sink. Answers
 * whether something is left to do that needs the lock.
 */
static bool count(struct sink *sink, uint64_t weight, uintptr_t pc)
{
	uint64_t before;

	before = atomic_fetch_add_explicit(&sampler.samples, weight, memory_order_relaxed);
	switch (sink->take(sink, pc, weight)) {
	case SINK_DONE:
		atomic_compare_exchange_strong(&sampler.sink, &sink, NULL);
		return true;
	case SINK_OUTSIDE:
		atomic_fetch_add_explicit(&sampler.outside, weight, memory_order_relaxed);
		break;
	case SINK_COUNTED:
		break;
	}
	return census_is_due(before, weight);
}

/*
 * What a thread still owes in whole ticks, when nobody will interrupt it any more, is billed to
 * where it was last seen. Answers the rest in nanoseconds: all of it for a thread that was never
 * seen.
 */
static int64_t settle(struct sink *sink, struct thread *t)
{
	int64_t owed = sys_clock_ns(sys_thread_cpu_clock(t->tid)) - t->billed_ns - t->lent_ns;
	int64_t tick_ns = (int64_t)sampler.tick_ns;

	if (owed >= tick_ns && t->last_pc) {
		count(sink, (uint64_t)(owed / tick_ns), t->last_pc);
		owed %= tick_ns;
	}
	return owed;
}

/* ---- threads ---- */

/* So that the thread's first tick comes when it owes one. */
static void arm(struct thread *t)
{
	int64_t tick_ns = (int64_t)sampler.tick_ns;
	int64_t owed = sys_clock_ns(sys_thread_cpu_clock(t->tid)) - t->billed_ns;
	int64_t first = tick_ns - owed;

	t->in_debt = owed >= tick_ns;
	if (first < 1)
		first = 1;
	if (owed >= 0 && owed < tick_ns / 64)
		first = tick_ns; /* as good as nothing: clocks start best with a whole tick */
	t->armed = sampler.clock->arm(t, (uint64_t)first) == 0;
}

/* A record whose clock could not be armed stays, so that the next census tries again. */
static struct thread *watch(pid_t tid, int64_t billed_ns)
{
	struct thread *t = threads_add(tid);

	if (!t) {
		sampler.unwatched++;
		return NULL;
	}
	t->billed_ns = billed_ns;
	arm(t);
	return t;
}

static void unwatch(struct thread *t)
{
	sampler.alive -= t->by_hook;
	sampler.clock->disarm(t);
	threads_remove(t);
}

struct census {
	bool starting; /* CPU time before now is not ours to bill */
	unsigned int added;
};

static void meet(pid_t tid, void *arg)
{
	struct census *census = arg;
	struct thread *t = threads_find(tid);
	int64_t cpu_ns;

	if (t && !t->armed && !t->deaf)
		arm(t);
	if (!t) {
		cpu_ns = census->starting ? sys_clock_ns(sys_thread_cpu_clock(tid)) : 0;
		if (cpu_ns < 0) /* it has just ended */
			return;
		t = watch(tid, cpu_ns);
		census->added += t != NULL;
		if (t && census->starting)
			t->deaf = census_blocks(tid, signals_of_ticks());
	}
	if (t)
		t->seen = true;
}

/*
 * Watches every thread there is and forgets those that are gone. Threads may be born meanwhile by
 * threads that are not watched yet, so a start repeats it until nobody new turns up.
 */
static void take_census(bool starting)
{
	struct census census;

	do {
		census = (struct census){ .starting = starting };
		sampler.unwatched = 0;
		for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
			t->seen = false;
		if (census_take(meet, &census) < 0)
			return; /* no /proc: the caller is watched, and so are those born later */
		for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
			if (!t->seen)
				unwatch(t);
	} while (starting && census.added);
}

/*
 * A phase of its own for a thread that is not alone: if all had the same, threads that each run for
 * less than a tick, side by side, would never tick.
 */
static int64_t random_phase(void)
{
	return (int64_t)((uint64_t)scramble(sampler.births) * sampler.tick_ns >> 32);
}

void sampler_thread_born(void)
{
	sys_sigset mask;
	struct thread *t;
	pid_t tid;

	if (!atomic_load_explicit(&sampler.sink, memory_order_relaxed))
		return;
	mask = sampler_lock();
	if (sampler.clock && sampler.clock->arm) {
		int64_t lent = sampler.alive ? random_phase() : 0;

		tid = sys_gettid();
		t = threads_find(tid);
		if (t) /* one that ended unnoticed had this number before, or a census came first */
			unwatch(t);
		t = watch(tid, -sampler.left_over_ns - lent);
		if (t) {
			t->lent_ns = lent;
			t->by_hook = true;
			sampler.left_over_ns = 0;
			sampler.births++;
			sampler.alive++;
		}
	}
	sampler_unlock_listening(mask);
}

void sampler_thread_gone(void)
{
	struct sink *sink;
	struct thread *t;
	sys_sigset mask;

	if (!atomic_load_explicit(&sampler.sink, memory_order_relaxed))
		return;
	mask = sampler_lock();
	sink = atomic_load(&sampler.sink);
	if (sink && (t = threads_find(sys_gettid()))) {
		sampler.left_over_ns += settle(sink, t);
		unwatch(t);
	}
	sampler_unlock(mask);
}

/* The clock may be armed although nobody wants its ticks any more: so it is asked, not the sink. */
void sampler_pause_thread(void)
{
	sys_sigset mask;
	struct thread *t;

	if (!__atomic_load_n(&sampler.clock, __ATOMIC_RELAXED))
		return;
	mask = sampler_lock();
	t = sampler.clock ? threads_find(sys_gettid()) : NULL;
	if (t && t->armed)
		sampler.clock->disarm(t);
	sampler_unlock(mask);
}

void sampler_resume_thread(void)
{
	sys_sigset mask;
	struct thread *t;

	if (!__atomic_load_n(&sampler.clock, __ATOMIC_RELAXED))
		return;
	mask = sampler_lock();
	t = sampler.clock ? threads_find(sys_gettid()) : NULL;
	if (t && t->armed)
		arm(t);
	sampler_unlock(mask);
}

void sampler_mute_thread(void)
{
	sys_sigset mask = sampler_lock();
	struct thread *t = sampler.clock ? threads_find(sys_gettid()) : NULL;

	if (t) {
		sampler.clock->disarm(t);
		t->armed = false;
		t->deaf = true;
		atomic_store(&sampler.somebody_is_mute, true);
	}
	sampler_unlock(mask);
}

void sampler_unmute_thread(void)
{
	sys_sigset mask;
	struct thread *t;

	if (!atomic_load_explicit(&sampler.somebody_is_mute, memory_order_relaxed))
		return;
	mask = sampler_lock();
	t = sampler.clock ? threads_find(sys_gettid()) : NULL;
	if (t && t->deaf && !t->armed && !(mask & signals_of_ticks())) {
		t->deaf = false;
		arm(t);
	}
	sampler_unlock(mask);
}

/* ---- start and stop, under the lock ---- */

static void close_clock(void)
{
	if (!sampler.clock)
		return;
	sampler.cpu_used_ns = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - sampler.cpu_start_ns;
	watchdog_stop();
	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		unwatch(t);
	sampler.clock->close();
	sampler.clock = NULL;
}

/* After a fork that nobody told us of: the clock, if any, is the parent's. */
static void notice_fork(void)
{
	if (sampler.clock && sampler.pid != sys_getpid()) {
		threads_forget();
		watchdog_forget();
		atomic_store(&sampler.handlers, 0);
		atomic_store(&sampler.sink, NULL);
		sampler.clock = NULL;
	}
}

static int open_clock(void)
{
	struct config config;
	int err;

	if (!config_read(&config)) {
		sampler.refusal =
			(struct clock_refusal){ EINVAL,
						"PROFIL_HZ must be a number from 1 to 20000" };
		return -EINVAL;
	}
	err = threads_init();
	if (err) {
		sampler.refusal = (struct clock_refusal){ -err, "there is no memory" };
		return err;
	}
	sampler.hz = config.hz;
	sampler.tick_ns = UINT64_C(1000000000) / config.hz;
	sampler.clock = clock_open(config.clock, sampler.tick_ns, &sampler.refusal);
	if (!sampler.clock)
		return -sampler.refusal.error;
	sampler.pid = sys_getpid();
	sampler.left_over_ns = 0;
	sampler.alive = 0;
	sampler.last_clock = sampler.clock;
	sampler.last_system_time = sampler.clock->system_time();
	return 0;
}

int sampler_start(struct sink *sink)
{
	bool was_running;
	int err = 0;

	sampler_detach();
	was_running = sampler.clock != NULL;
	if (!was_running)
		err = open_clock();
	if (err)
		return err;
	sampler.refusal.sentence = NULL;
	atomic_store(&sampler.signals, 0);
	atomic_store(&sampler.samples, 0);
	atomic_store(&sampler.outside, 0);
	sampler.cpu_start_ns = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	atomic_store(&sampler.sink, sink);
	if (!was_running && sampler.clock->arm) {
		watch(sys_gettid(), sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
		take_census(true);
		if (!thread_hook_works())
			watchdog_start(sampler.tick_ns);
	}
	return 0;
}

void sampler_detach(void)
{
	notice_fork();
	atomic_store(&sampler.sink, NULL);
	while (atomic_load(&sampler.handlers))
		sys_sched_yield();
}

void sampler_stop(void)
{
	struct sink *sink;

	notice_fork();
	sink = atomic_load(&sampler.sink);
	sampler_detach();
	for (struct thread *t = sink ? threads_next(NULL) : NULL; t; t = threads_next(t))
		settle(sink, t);
	close_clock();
}

void sampler_give_back(int sig)
{
	if (sampler.clock && sampler.clock->borrowed_signal == sig)
		sampler_stop();
}

uint64_t sampler_tick_ns(void)
{
	struct config config;

	if (sampler.clock)
		return sampler.tick_ns;
	return UINT64_C(1000000000) / (config_read(&config) ? config.hz : 100);
}

void sampler_info(struct profil_clock_info *info)
{
	uint64_t due, slack = 1;
	int64_t cpu_ns;

	notice_fork();
	*info = (struct profil_clock_info){
		.clock = sampler.last_clock ? sampler.last_clock->name : NULL,
		.system_time = sampler.last_system_time,
		.problem = sampler.refusal.sentence,
		.running = atomic_load(&sampler.sink) != NULL,
		.asked_hz = sampler.hz,
		.samples = atomic_load(&sampler.samples),
		.signals = atomic_load(&sampler.signals),
		.outside = atomic_load(&sampler.outside),
		.unwatched = sampler.unwatched,
	};
	if (!sampler.last_clock)
		return;
	cpu_ns = sampler.clock ? sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - sampler.cpu_start_ns
			       : sampler.cpu_used_ns;
	for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
		info->threads++;
		info->unwatched += !t->armed || (t->deaf && !t->last_pc);
	}
	info->cpu_seconds = (double)cpu_ns / 1e9;
	info->achieved_hz = cpu_ns > 0 ? (double)info->signals / info->cpu_seconds : 0;
	/* Each thread may be within a tick or two of its next one; that is not lost. */
	due = (uint64_t)cpu_ns / sampler.tick_ns;
	slack += 2 * info->threads;
	info->lost = due > info->samples + slack ? due - info->samples : 0;
}

/* ---- the handler ---- */

static bool on_tick(struct sink *sink, struct tick tick, uintptr_t pc)
{
	if (tick.weight == 0)
		return false;
	if (tick.thread)
		tick.thread->last_pc = pc;
	atomic_fetch_add_explicit(&sampler.signals, 1, memory_order_relaxed);
	return count(sink, tick.weight, pc);
}

bool sampler_owns(const siginfo_t *info)
{
	return watchdog_barked(info) || (sampler.last_clock && sampler.last_clock->owns(info));
}

bool sampler_signal(siginfo_t *info, void *uc)
{
	bool barked = watchdog_barked(info), chores = barked;
	struct sink *sink;

	if (!sampler_owns(info))
		return false;

	atomic_fetch_add(&sampler.handlers, 1);
	sink = atomic_load(&sampler.sink);
	if (!sink)
		chores = true; /* a late tick, or of a clock that has no work any more */
	else if (!barked)
		chores = on_tick(sink, sampler.last_clock->tick_of(info, uc), arch_pc(uc));
	atomic_fetch_sub(&sampler.handlers, 1);

	/* If somebody else has the lock, another tick will do it. */
	if (chores && handler_try_lock()) {
		if (!atomic_load(&sampler.sink))
			sampler_stop();
		else if (sampler.clock && sampler.clock->arm)
			take_census(false);
		handler_unlock();
	}
	return true;
}

/* ---- fork ---- */

static sys_sigset
	fork_mask; /* guarded by the lock, which is held from prepare to parent or child */

static void before_fork(void)
{
	sys_sigset mask = sampler_lock();

	fork_mask = mask;
}

static void after_fork_in_parent(void)
{
	sampler_unlock(fork_mask);
}

/*
 * The child has one thread and none of our timers and events. It goes on only where the dialect
 * says so; its buffer is a copy of its own.
 */
static void after_fork_in_child(void)
{
	struct sink *sink = atomic_load(&sampler.sink);

	notice_fork();
	if (sink && sink->follows_fork)
		sampler_start(sink);
	sampler_unlock(fork_mask);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
