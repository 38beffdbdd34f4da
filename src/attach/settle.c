/* SPDX-License-Identifier: MIT */
#include "attach/settle.h"

#define ENDED_LIMIT    2.0
#define UNWATCHED_PART 0.01 /* less is not worth mentioning */

/* Reads the CPU time of threads so far: of all, or of those seen to run. False: one has ended, and
 * the event for that is still to come. */
static bool read_times(struct attach *attach, bool all)
{
	bool is_complete = true;

	for (size_t i = 0; i < attach->roster.thread_count; i++) {
		struct watched_thread *thread = attach->roster.threads[i];
		uint64_t ns;

		if (!all && !thread->account.open_count)
			continue;
		thread->is_gone = !proc_cpu_ns(thread->process->pid, thread->tid, &ns);
		if (thread->is_gone)
			is_complete = false;
		else if (ns >= thread->base_ns)
			thread->known_ns = ns - thread->base_ns;
	}
	return is_complete;
}

static void settle_threads(struct attach *attach, bool is_last)
{
	uint32_t unit = attach->context.unit_ns;
	uint64_t now = timeline_now(&attach->timeline) / unit;

	for (size_t i = attach->roster.thread_count; i-- > 0;) {
		struct watched_thread *thread = attach->roster.threads[i];

		if (thread->is_gone && !is_last)
			continue;
		account_wait(&thread->account, now);
		if (thread->is_gone)
			watched_roster_end(&attach->roster, thread);
		else if (!thread->is_unaccountable)
			account_settle(&thread->account, thread->known_ns / unit, UINT16_MAX,
				       is_last);
	}
}

/* Returns true if its own samples account for its time. */
static bool has_samples(const struct watched_thread *thread)
{
	return thread->account.open_count || thread->account.settled;
}

/* Returns the time used by ended threads: the sum of all less that of the others. At the end it
 * includes threads that no tick ever met. */
static uint64_t used_by_ended(const struct attach *attach, uint64_t total, bool is_last)
{
	for (size_t i = 0; i < attach->roster.thread_count; i++) {
		const struct watched_thread *thread = attach->roster.threads[i];

		if (!is_last || has_samples(thread))
			total = total > thread->known_ns ? total - thread->known_ns : 0;
	}
	return total / attach->context.unit_ns;
}

/* Settles the samples of ended threads. If many threads end before their first tick, their time
 * would be attributed to longer-lived threads, which is wrong: so the excess is counted as
 * unknown. */
static void settle_ended(struct attach *attach, uint64_t total, bool is_last)
{
	struct account *ended = &attach->roster.ended;
	uint64_t used;

	if (attach->counters.sums_mislead) {
		account_accept(ended);
		return;
	}
	used = used_by_ended(attach, total, is_last);
	account_settle(ended, used, ENDED_LIMIT, is_last);
	if (is_last && attach->context.first && used > ended->settled &&
	    (double)(used - ended->settled) > UNWATCHED_PART * (double)used)
		attach->context.first->unwatched_ns =
			(used - ended->settled) * attach->context.unit_ns;
}

static void settle_times(struct attach *attach, bool is_last)
{
	bool all = is_last || attach->roster.ended.open_count;
	uint64_t total = all ? counters_total(&attach->counters) : 0;
	bool is_complete = read_times(attach, all);

	settle_threads(attach, is_last);
	if (all && (is_complete || is_last))
		settle_ended(attach, total, is_last);
}

void settle_weights(struct attach *attach, bool is_last)
{
	if (!attach->context.is_event)
		settle_times(attach, is_last);
	watched_roster_let_go(&attach->roster, attach->context.first);
}
