/* SPDX-License-Identifier: MIT
 *
 * pcsample.c - pcsample(): the sink that stores each program counter, and the call itself.
 */
#include <errno.h>
#include <pcsample.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/export.h"
#include "config.h"
#include "runtime/process/probe.h"
#include "runtime/sampler/sampler.h"
#include "steady.h"
#include "runtime/sampler/tick_path.h"

/* Written under the lock while no handler uses it; handlers change `taken`. */
static struct array {
	struct sink sink;
	uintptr_t *samples;
	size_t size;
	_Atomic size_t taken;  /* slots handed out; grows beyond size when it is full */
	_Atomic size_t stored; /* samples[0..stored-1] are valid */
} array;

TICK_PATH static enum sink_answer take(struct sink *sink, const struct sink_ticks *ticks)
{
	struct array *a = (struct array *)sink;
	uint64_t weight = ticks->weight;
	size_t at = atomic_fetch_add(&a->taken, (size_t)weight);

	/* The probe would refuse it as well, but nothing may be added to a null pointer. */
	if (!a->samples)
		return SINK_DONE;
	/*
	 * A late tick counts for several, and takes as many slots: the time to fill the array stays
	 * right.
	 */
	for (; weight > 0 && at < a->size; weight--, at++) {
		if (!steady_holds(&a->samples[at], sizeof(a->samples[at])) &&
		    !probe_writable(&a->samples[at]))
			return SINK_DONE;
		a->samples[at] = ticks->pc;
		atomic_fetch_add(&a->stored, 1);
	}
	return at < a->size ? SINK_COUNTED : SINK_DONE;
}

EXPORT long pcsample(uintptr_t samples[], long nsamples)
{
	struct sampler_setting setting = config_read();
	sys_sigset mask;
	size_t stored;
	int err = 0;

	if (nsamples < 0) {
		errno = EINVAL;
		return -1;
	}
	mask = lock_take();
	if (nsamples == 0)
		sampler_stop();
	else
		sampler_detach();
	stored = atomic_exchange(&array.stored, 0);
	if (nsamples == 0) {
		lock_release(mask);
		return (long)stored;
	}
	array.sink = (struct sink){ take, .follows_fork = true };
	array.samples = samples;
	array.size = (size_t)nsamples;
	atomic_store(&array.taken, 0);
	err = sampler_start(&array.sink, &setting);
	if (err) {
		atomic_store(&array.stored, stored); /* the next call returns it */
		lock_release(mask);
		errno = -err;
		return -1;
	}
	lock_release_listening(mask);
	return (long)stored;
}
