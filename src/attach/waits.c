/* SPDX-License-Identifier: MIT */
#include "attach/waits.h"

void waits_begin(struct waits *waits, uint64_t time, const struct proc_schedule *seen)
{
	*waits = (struct waits){ .time = time, .seen = *seen };
}

void waits_ran(struct waits *waits, uint64_t time, uint64_t ns)
{
	if (time > waits->time)
		waits->ran_ns += ns;
}

void waits_look(struct waits *waits, uint64_t now, const struct proc_schedule *seen)
{
	int64_t passed = (int64_t)(now - waits->time);
	int64_t ran = (int64_t)(seen->cpu_ns - waits->seen.cpu_ns);
	int64_t queued = (int64_t)(seen->wait_ns - waits->seen.wait_ns);

	if (waits->time) {
		waits->blocked_ns += passed - ran - queued;
		waits->queued_ns += queued;
	}
	waits->time = now;
	waits->seen = *seen;
	waits->ran_ns = 0;
}

/* Estimates the wait. The kernel begins a thread with a whole period: one that ends before its
 * first sample has run for half of that on average. With a sample, there is an account that
 * corrects the estimate. */
int64_t waits_guess(const struct waits *waits, uint64_t until, uint64_t period_ns)
{
	bool is_unseen = waits->seen.runs == 0 && !waits->ran_ns;

	return (int64_t)(until - waits->time) - (int64_t)waits->ran_ns -
	       (is_unseen ? (int64_t)(period_ns / 2) : 0);
}

void waits_level(struct waits *waits)
{
	int64_t sum = waits->blocked_ns + waits->queued_ns;

	if (waits->blocked_ns < 0 && waits->queued_ns > 0) {
		waits->queued_ns = sum > 0 ? sum : 0;
		waits->blocked_ns = sum - waits->queued_ns;
	} else if (waits->queued_ns < 0 && waits->blocked_ns > 0) {
		waits->blocked_ns = sum > 0 ? sum : 0;
		waits->queued_ns = sum - waits->blocked_ns;
	}
}

uint64_t waits_take(int64_t *sum, uint64_t unit_ns)
{
	uint64_t whole = *sum > 0 ? (uint64_t)*sum / unit_ns * unit_ns : 0;

	*sum -= (int64_t)whole;
	return whole;
}
