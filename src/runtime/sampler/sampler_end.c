/* SPDX-License-Identifier: MIT
 *
 * sampler_end.c - the process ends, becomes another program, or needs a signal or a stack for
 * itself.
 */
#include "altstacks.h"
#include "sampler_state.h"

#define HANDLER_YIELDS                                                                             \
	1000 /* after these, the process ends without the time that other threads owe */

/* Waits for handlers to finish. A thread in the handler may need the CPU that the caller has. */
static bool handlers_are_done(void)
{
	for (int i = 0; i < HANDLER_YIELDS && atomic_load(&sampler.handlers); i++)
		sys_sched_yield();
	return !atomic_load(&sampler.handlers);
}

/*
 * Settles without counting ticks that arrive meanwhile; their time is settled here or stays owed.
 * If a handler does not finish, the time of other threads is not settled: it may be using their
 * records.
 */
void sampler_settle_with(struct sink *sink)
{
	bool all = handlers_are_done();
	int64_t rest = sampler.clock->arm ? roster_settle(all) : 0;

	if (all && sampler.clock->settle)
		rest += sampler_bill(NULL, sampler.clock->settle(), sampler.last_pc);
	else if (all && rest)
		rest = sampler_bill(NULL, rest, sampler.last_pc);
	if (sink->ended)
		sink->ended(sink, rest);
}

/*
 * Returns whether the clock runs in this very process, not in the child of a vfork or of an
 * unreported fork.
 */
static bool is_running(void)
{
	return sampler.clock && sampler.pid == sys_getpid();
}

void sampler_settle(void)
{
	struct sink *sink;
	sys_sigset mask;

	if (!is_running())
		return;
	mask = lock_take();
	sink = is_running() ? atomic_load(&sampler.sink) : NULL;
	if (sink && sink->settle) {
		atomic_store(&sampler.sink, NULL);
		sampler_settle_with(sink);
		atomic_store(&sampler.sink, sink);
	}
	lock_release(mask);
}

/* Ticks that arrive meanwhile are not counted: their time stays owed. */
void sampler_steady(void)
{
	struct sink *sink;
	sys_sigset mask;

	if (!is_running())
		return;
	mask = lock_take();
	sink = is_running() && sampler.clock->arm ? atomic_load(&sampler.sink) : NULL;
	if (sink) {
		atomic_store(&sampler.sink, NULL);
		if (handlers_are_done())
			roster_steady();
		atomic_store(&sampler.sink, sink);
	}
	lock_release(mask);
}

void sampler_give_back(int sig)
{
	if (sampler.clock && sampler.clock->borrowed_signal == sig)
		sampler_stop();
}

/* Returns whether a clock for the process as a whole runs. */
static bool process_clock_runs(void)
{
	return is_running() && !sampler.clock->arm;
}

/*
 * Ends a clock of the whole process, which may tick on any thread. Returns whether the thread was
 * ticked and is not any more. Under the lock.
 */
static bool set_altstack(size_t size)
{
	bool has_ended;

	altstacks_note(sys_gettid(), size);
	has_ended = roster_stack_changed();
	if (process_clock_runs() && altstacks_forbid(sys_gettid())) {
		sampler_stop();
		has_ended = true;
	}
	return has_ended;
}

void sampler_altstack(size_t size)
{
	sys_sigset mask = lock_take();

	set_altstack(size);
	lock_release(mask);
}

bool sampler_altstack_gone(void)
{
	bool is_new;
	sys_sigset mask;

	if (sampler.pid != sys_getpid()) /* see sampler_before_exec() */
		return false;
	mask = lock_take();
	is_new = !altstacks_forbid(sys_gettid());
	is_new = set_altstack(ALTSTACKS_GONE) || is_new;
	lock_release(mask);
	return is_new;
}

/*
 * Checks the process before the lock is taken as well: a child that was forked without libc may
 * have a copy of the lock that is never released.
 */
void sampler_before_exec(void)
{
	struct sink *sink = atomic_load(&sampler.sink);
	sys_sigset mask;

	if (sink && sink->before_exec)
		sink->before_exec(sink);
	if (!process_clock_runs())
		return;
	mask = lock_take();
	if (process_clock_runs())
		sampler.clock->close();
	lock_release(mask);
}

void sampler_after_failed_exec(void)
{
	sys_sigset mask;

	if (!process_clock_runs())
		return;
	mask = lock_take();
	if (process_clock_runs() && !sampler.clock->open(sampler.tick_ns, &sampler.refusal))
		sampler_stop();
	lock_release(mask);
}
