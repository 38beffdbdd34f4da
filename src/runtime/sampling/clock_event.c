/* SPDX-License-Identifier: MIT
 *
 * clock_event.c - one event of the kernel per thread, as clock_perf.c has; but the event is what
 * the user wants to know about, and not only a means to interrupt.
 *
 * The weight of a tick is the number of events since the last one, by the count in the ring: one
 * signal may stand for hundreds of periods, in a system call that takes as many page faults. The
 * periods that the kernel can write are no measure: with a frequency, those of software events are
 * one sample late.
 *
 * Events of the tick itself are billed when it ends, to nothing. Their signal follows, finds
 * nothing in the ring, and counts nothing.
 */
#include "clock_event.h"

#include <errno.h>
#include <string.h>

#include "perf_ring.h"
#include "runtime/sampler/perf_event.h"
#include "runtime/sampler/signals.h"
#include "runtime/sampler/tick_path.h"

static struct {
	struct perf_event_attr attr;
} chosen;

void clock_event_choose(const struct record_event *event, uint32_t hz, bool has_chains)
{
	struct perf_event_attr *attr = &chosen.attr;

	perf_event_init(attr, event->flags & RECORD_EVENT_NO_KERNEL);
	attr->type = event->type;
	attr->config = event->config[0];
	attr->config1 = event->config[1];
	attr->config2 = event->config[2];
	attr->exclude_user = (event->flags & RECORD_EVENT_NO_USER) != 0;
	(has_chains ? perf_ring_prepare_chains : perf_ring_prepare)(attr);
	attr->sample_period = event->period;
	if (!event->period) {
		attr->freq = 1;
		attr->sample_freq = hz;
	}
}

static bool clock_event_open(uint64_t tick_ns, struct clock_refusal *refusal)
{
	bool any = !chosen.attr.exclude_kernel && !chosen.attr.exclude_user;
	int err;

	(void)tick_ns;
	if (!perf_event_check(refusal))
		return false;
	err = chosen.attr.exclude_kernel || perf_event_kernel_is_safe()
		      ? perf_event_try(&chosen.attr)
		      : -EACCES;
	if ((err == -EACCES || err == -EPERM) && any) {
		chosen.attr.exclude_kernel = 1;
		err = perf_event_try(&chosen.attr);
	}
	if (err) {
		*refusal = (struct clock_refusal){ -err, "the event is refused here" };
		return false;
	}
	err = signals_claim(SIGTRAP);
	if (err)
		*refusal = (struct clock_refusal){ -err, "SIGTRAP cannot be handled here" };
	return !err;
}

static void clock_event_close(void)
{
}

static int clock_event_arm(struct thread *thread, uint64_t first_ns)
{
	(void)first_ns;
	thread->billed_ns = 0; /* a new event counts from there */
	return perf_event_start(thread, &chosen.attr, PERF_RING_BYTES);
}

static void clock_event_disarm(struct thread *thread)
{
	perf_event_stop(thread, PERF_RING_BYTES);
}

/* The user has chosen the rate: it is not lowered. */
static void clock_event_pace(struct thread *thread)
{
	(void)thread;
}

/* Returns the events since the last bill, and bills them. */
static uint64_t bill(struct thread *thread)
{
	bool has_chains = chosen.attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	struct perf_ring ring = perf_ring_of(thread, has_chains);
	int64_t before = thread->billed_ns;
	struct perf_ring_record latest;

	if (perf_ring_next(&ring, &latest) && (int64_t)latest.count > before)
		thread->billed_ns = (int64_t)latest.count;
	return (uint64_t)(thread->billed_ns - before);
}

TICK_PATH static struct tick clock_event_tick_of(const siginfo_t *info, const ucontext_t *uc)
{
	struct tick tick = { .thread = perf_event_thread(info) };

	(void)uc;
	if (tick.thread)
		tick.weight = bill(tick.thread);
	return tick;
}

static void clock_event_tick_done(struct thread *thread)
{
	bill(thread);
}

static const char *clock_event_system_time(void)
{
	return "event";
}

const struct clock clock_event = {
	.name = "event",
	.counts_events = true,
	.open = clock_event_open,
	.close = clock_event_close,
	.arm = clock_event_arm,
	.disarm = clock_event_disarm,
	.pace = clock_event_pace,
	.owns = perf_event_owns,
	.tick_of = clock_event_tick_of,
	.tick_done = clock_event_tick_done,
	.system_time = clock_event_system_time,
};
