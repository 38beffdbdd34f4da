/* SPDX-License-Identifier: MIT
 *
 * fake_sampler.h - a sampler without a clock, for tests that include a sink's .c file: the test
 * makes it tick. It behaves as in sampler.h and records its calls.
 */
#ifndef DWELL_TESTS_FAKE_SAMPLER_H
#define DWELL_TESTS_FAKE_SAMPLER_H

#include <errno.h>
#include <profil.h>

#include "runtime/sampler/sampler.h"
#include "tap.h"

#define FAKE_TICK_NS UINT64_C(12345678)

static struct {
	struct sink *sink; /* destination of ticks; NULL: profiling is off */
	int locked;
	int starts, stops, detaches;
	int refusal; /* errno that the next start returns; 0: it succeeds */

	/* Time that threads still owe when it is stopped: billed then, as the real one does. */
	uintptr_t owed_pc;
	uint64_t owed;
} fake;

static inline void fake_needs_lock(void)
{
	if (!fake.locked)
		bail_out("the sampler was called without its lock");
}

sys_sigset lock_take(void)
{
	if (fake.locked++)
		bail_out("the sampler's lock was taken twice");
	return 0;
}

void lock_release(sys_sigset mask)
{
	(void)mask;
	fake_needs_lock();
	fake.locked = 0;
}

void lock_release_listening(sys_sigset mask)
{
	lock_release(mask);
}

int sampler_start(struct sink *sink, const struct sampler_setting *setting)
{
	(void)setting;
	fake_needs_lock();
	fake.starts++;
	fake.sink = fake.refusal ? NULL : sink;
	return -fake.refusal;
}

void sampler_detach(void)
{
	fake_needs_lock();
	fake.detaches++;
	fake.sink = NULL;
}

void sampler_stop(void)
{
	fake_needs_lock();
	fake.stops++;
	if (fake.sink && fake.owed)
		fake.sink->take(fake.sink,
				&(struct sink_ticks){ .pc = fake.owed_pc, .weight = fake.owed });
	fake.owed = 0;
	fake.sink = NULL;
}

void sampler_info(struct profil_clock_info *info)
{
	fake_needs_lock();
	*info = (struct profil_clock_info){ .clock = "fake", .running = fake.sink != NULL };
}

uint64_t sampler_tick_ns(const struct sampler_setting *setting)
{
	(void)setting;
	fake_needs_lock();
	return FAKE_TICK_NS;
}

/* Ticks at pc with this weight. Returns SINK_DONE also if ticks are off. */
static inline enum sink_answer fake_ticks(uintptr_t pc, uint64_t weight)
{
	enum sink_answer answer;

	if (!fake.sink)
		return SINK_DONE;
	answer = fake.sink->take(fake.sink, &(struct sink_ticks){ .pc = pc, .weight = weight });
	if (answer == SINK_DONE)
		fake.sink = NULL;
	return answer;
}

static inline enum sink_answer fake_tick(uintptr_t pc)
{
	return fake_ticks(pc, 1);
}

#endif
