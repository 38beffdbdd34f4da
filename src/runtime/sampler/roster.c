/* SPDX-License-Identifier: MIT */
#include "roster.h"

#include <stdatomic.h>
#include <stddef.h>

#include "altstacks.h"
#include "base/invariant.h"
#include "base/scramble.h"
#include "census.h"
#include "lock.h"
#include "signals.h"

/* Guarded by the lock, except for atomic fields. */
static struct {
	_Atomic(const struct clock *) clock; /* NULL: closed */
	pid_t pid;                           /* the process that owns the clock */
	uint64_t tick_ns;
	roster_bill *bill;
	bool counts_ns; /* see struct roster_past */

	/*
	 * CPU time that ended threads still owed or, below 0, had been billed in advance. The next
	 * thread to start takes it over, so that many short threads in sequence add up to the
	 * correct sum.
	 */
	int64_t left_over_ns;
	uint32_t births;           /* threads reported by the hook */
	uint32_t alive;            /* of these, threads on the roster */
	_Atomic bool ever_muted;   /* or has been */
	_Atomic bool had_refusals; /* there was a thread that got no clock */
	unsigned int no_room;      /* threads without a record */
} roster;

/*
 * Returns false in a child that was forked or vforked, which the roster does not cover. Also
 * checked before the lock is taken: in a child that was forked without libc, the lock may be held
 * for ever.
 */
static bool is_open(void)
{
	return atomic_load_explicit(&roster.clock, memory_order_relaxed) != NULL &&
	       roster.pid == sys_getpid();
}

/* Returns whether `alive` counts the threads on the roster that the hook has reported. */
static bool is_counted(void)
{
	uint32_t count = 0;

	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		count += t->by_hook;
	return count == roster.alive;
}

/* ---- single threads ---- */

/* Arms the clock so that the thread's first tick comes when it owes one. */
static void arm(struct thread *t)
{
	int64_t tick_ns = (int64_t)roster.tick_ns;
	int64_t cpu_ns = sys_clock_ns(sys_thread_cpu_clock(t->tid));
	int64_t owed = cpu_ns < 0 ? 0 : cpu_ns - t->billed_ns;
	int64_t first = tick_ns - owed;

	t->in_debt = owed >= tick_ns;
	if (first < 1)
		first = 1;
	if (owed >= 0 && owed < tick_ns / 64)
		first = tick_ns; /* almost nothing: clocks start best with a whole tick */
	DWELL_ASSERT(first >= 1);
	t->armed = !altstacks_forbid(t->tid) && roster.clock->arm(t, (uint64_t)first) == 0;
	if (!t->armed)
		atomic_store_explicit(&roster.had_refusals, true, memory_order_relaxed);
}

/*
 * Watches a thread. A record whose clock could not be armed stays, so that the next census tries
 * again.
 */
static struct thread *watch(pid_t tid, int64_t billed_ns)
{
	struct thread *t = threads_add(tid);

	if (!t) {
		roster.no_room++;
		return NULL;
	}
	t->billed_ns = billed_ns;
	arm(t);
	return t;
}

static void unwatch(struct thread *t)
{
	roster.alive -= t->by_hook;
	roster.clock->disarm(t);
	threads_remove(t);
	DWELL_ASSERT(is_counted());
}

/* Returns CPU time of the thread that was not billed yet; below 0: billed in advance. */
static int64_t owed_ns(const struct thread *t)
{
	int64_t cpu_ns =
		roster.clock->counts_events ? -1 : sys_clock_ns(sys_thread_cpu_clock(t->tid));

	return cpu_ns < 0 ? 0 : cpu_ns - t->billed_ns - t->lent_ns;
}

/*
 * Bills the time that a thread still owes to its last known place: it ends, or may be about to.
 * Returns the rest, which is all of it for a thread that was never seen; the caller accounts for
 * that. A thread that lives on reads its CPU clock at its next tick, since overruns do not include
 * what was billed here.
 */
static int64_t settle(struct thread *t)
{
	int64_t owed = owed_ns(t);

	t->billed_ns += owed;
	t->in_debt = true;
	return owed ? roster.bill(t, owed, t->last_pc) : 0;
}

/* ---- all threads ---- */

struct meeting {
	bool opening; /* CPU time before now is not billed */
	unsigned int added;
};

static void meet(pid_t tid, void *arg)
{
	struct meeting *meeting = arg;
	struct thread *t = threads_find(tid);
	int64_t cpu_ns;

	if (t && !t->armed && !t->deaf)
		arm(t);
	if (!t) {
		cpu_ns = meeting->opening ? sys_clock_ns(sys_thread_cpu_clock(tid)) : 0;
		if (cpu_ns < 0) /* it has just ended */
			return;
		t = watch(tid, cpu_ns);
		meeting->added += t != NULL;
		if (t && meeting->opening)
			t->deaf = census_blocks(tid, signals_of_ticks());
	}
	if (t)
		t->seen = true;
}

/*
 * Watches all threads. A thread that is not watched yet may start others meanwhile, so opening
 * repeats this until no new ones turn up.
 */
static void meet_all(bool opening)
{
	struct meeting meeting;

	do {
		meeting = (struct meeting){ .opening = opening };
		roster.no_room = 0;
		for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
			t->seen = false;
		if (census_take(meet, &meeting) < 0)
			return; /* no /proc: the caller is watched, and so are threads that start
				   later */
		for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
			if (!t->seen)
				unwatch(t);
	} while (opening && meeting.added);
}

/* Watches the caller before all others. Bills what it owes at once, if its place is known. */
static void watch_myself(const struct roster_past *past)
{
	int64_t now = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct thread *me = threads_add(sys_gettid());

	if (!me)
		return;
	me->billed_ns = now;
	if (past->is_owed)
		me->billed_ns -= roster.bill(me, now - past->since_ns, past->pc);
	me->billed_ns -= past->lent_ns;
	me->lent_ns = (int32_t)past->lent_ns;
	altstacks_note_mine();
	arm(me);
}

int roster_open(const struct clock *clock, uint64_t tick_ns, roster_bill *bill,
		const struct roster_past *past)
{
	int err = threads_init();

	if (err)
		return err;
	roster.pid = sys_getpid();
	roster.tick_ns = tick_ns;
	roster.bill = bill;
	roster.counts_ns = past->counts_ns;
	roster.left_over_ns = 0;
	roster.alive = 0;
	roster.clock = clock;
	watch_myself(past);
	meet_all(true);
	return 0;
}

void roster_census(void)
{
	if (is_open())
		meet_all(false);
}

bool roster_had_refusals(void)
{
	return atomic_load_explicit(&roster.had_refusals, memory_order_relaxed);
}

int64_t roster_settle(bool all)
{
	int64_t rest = roster.left_over_ns;
	pid_t me = sys_gettid();

	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		if (all || t->tid == me)
			rest += settle(t);
	roster.left_over_ns = 0;
	return rest;
}

void roster_steady(void)
{
	for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
		if (!t->armed || !t->starter)
			continue;
		roster.clock->disarm(t);
		t->armed = roster.clock->arm(t, roster.tick_ns) == 0;
	}
}

void roster_close(void)
{
	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		unwatch(t);
	DWELL_ASSERT(!threads_next(NULL) && !roster.alive);
	roster.clock = NULL;
}

void roster_forget(void)
{
	threads_forget();
	altstacks_forget();
	roster.clock = NULL;
}

struct roster_count roster_count(void)
{
	struct roster_count count = { .unwatched = roster.no_room };

	for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
		count.threads++;
		count.slack += UINT64_C(5) << t->governor.pace;
		count.unwatched += !t->armed || (t->deaf && !t->last_pc);
	}
	return count;
}

int64_t roster_owed_ns(void)
{
	int64_t sum = 0;

	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		sum += owed_ns(t);
	return sum;
}

/* ---- reports of threads ---- */

/*
 * Returns a phase of its own for a thread that is not alone: with equal phases, threads that each
 * run for less than a tick, side by side, would never tick.
 */
static int64_t random_phase(void)
{
	return (int64_t)((uint64_t)scramble(roster.births) * roster.tick_ns >> 32);
}

/* Takes the lock and finds the caller's record; false: it has none, and the lock was released. */
static bool lock_myself(struct thread **me, sys_sigset *mask)
{
	if (!is_open())
		return false;
	*mask = lock_take();
	*me = is_open() ? threads_find(sys_gettid()) : NULL;
	if (!*me)
		lock_release(*mask);
	return *me != NULL;
}

static void enter(pid_t tid)
{
	int64_t lent = roster.alive && !roster.clock->counts_events ? random_phase() : 0;
	struct thread *t = watch(tid, -roster.left_over_ns - lent);

	if (!t)
		return;
	t->lent_ns = (int32_t)lent;
	t->by_hook = true;
	roster.left_over_ns = 0;
	roster.births++;
	roster.alive++;
	DWELL_ASSERT(is_counted());
}

void roster_born(void)
{
	struct thread *t;
	sys_sigset mask;

	if (!is_open())
		return;
	mask = lock_take();
	if (is_open()) {
		t = threads_find(sys_gettid());
		if (t) /* a thread that ended unnoticed had this tid before, or a census came first
			*/
			unwatch(t);
		altstacks_note(sys_gettid(), 0);
		enter(sys_gettid());
	}
	lock_release_listening(mask);
}

void roster_gone(uintptr_t start)
{
	struct thread *me;
	int64_t rest_ns;
	sys_sigset mask;

	if (!lock_myself(&me, &mask))
		return;
	/* First, since that takes CPU time of the thread too. */
	roster.clock->disarm(me);
	rest_ns = settle(me);
	/*
	 * It was never seen, but all of its work was called from there. Time below a tick is handed
	 * to the next thread: then short threads show up in proportion.
	 */
	if (roster.counts_ns && rest_ns >= (int64_t)roster.tick_ns)
		rest_ns = roster.bill(me, rest_ns, start);
	roster.left_over_ns += rest_ns;
	altstacks_note(me->tid, 0);
	unwatch(me);
	lock_release(mask);
}

void roster_pause(void)
{
	struct thread *me;
	sys_sigset mask;

	if (!lock_myself(&me, &mask))
		return;
	if (me->armed)
		roster.clock->disarm(me);
	lock_release(mask);
}

void roster_resume(void)
{
	struct thread *me;
	sys_sigset mask;

	if (!lock_myself(&me, &mask))
		return;
	if (me->armed)
		arm(me);
	lock_release(mask);
}

bool roster_stack_changed(void)
{
	struct thread *me = is_open() ? threads_find(sys_gettid()) : NULL;

	if (!me || me->deaf)
		return false;
	if (!me->armed)
		arm(me);
	if (!me->armed || !altstacks_forbid(me->tid))
		return false;
	roster.clock->disarm(me);
	me->armed = false;
	return true;
}

void roster_mute(void)
{
	struct thread *me;
	sys_sigset mask;

	if (!lock_myself(&me, &mask))
		return;
	roster.clock->disarm(me);
	me->armed = false;
	me->deaf = true;
	atomic_store(&roster.ever_muted, true);
	lock_release(mask);
}

void roster_unmute(void)
{
	struct thread *me;
	sys_sigset mask;

	if (!atomic_load_explicit(&roster.ever_muted, memory_order_relaxed) ||
	    !lock_myself(&me, &mask))
		return;
	if (me->deaf && !me->armed && !(mask & signals_of_ticks())) {
		me->deaf = false;
		arm(me);
	}
	lock_release(mask);
}
