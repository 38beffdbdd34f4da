/* SPDX-License-Identifier: MIT
 *
 * profil.c - profil() in three dialects: the sink with one histogram, and the calls themselves.
 *
 * libc's header declares profil() nonnull, and compilers delete a test for NULL in a definition
 * that follows it. So the calls are defined under other names, and plain `profil` in
 * profil_plain.c.
 */
#include <errno.h>
#include <profil.h>

#include "base/export.h"
#include "bins.h"
#include "config.h"
#include "counter.h"
#include "runtime/sampler/sampler.h"
#include "runtime/sampler/tick_path.h"

/* Solaris: profiling ends when a counter reaches this. */
#define SOLARIS_FULL 32767

/* Written under the lock while no handler uses it, read by handlers. */
static struct histogram {
	struct sink sink;
	char *counters; /* 16 bits each, possibly misaligned */
	size_t count;
	uintptr_t offset;
	uint32_t scale;
	bool full; /* Solaris: a counter has reached its limit; set by handlers */
} histogram;

TICK_PATH static enum sink_answer take_wrapping(struct sink *sink, const struct sink_ticks *ticks)
{
	struct histogram *h = (struct histogram *)sink;
	uint64_t bin = bins_linux(ticks->pc, h->offset, h->scale, sizeof(uint16_t));

	if (bin >= h->count)
		return SINK_OUTSIDE;
	return counter_add_wrapping16(h->counters + 2 * bin, ticks->weight) ? SINK_COUNTED
									    : SINK_DONE;
}

TICK_PATH static enum sink_answer take_solaris(struct sink *sink, const struct sink_ticks *ticks)
{
	struct histogram *h = (struct histogram *)sink;
	uint64_t bin = bins_solaris(ticks->pc, h->offset, h->scale);
	uint16_t sum;

	if (__atomic_load_n(&h->full, __ATOMIC_RELAXED))
		return SINK_DONE;
	if (bin >= h->count)
		return SINK_OUTSIDE;
	if (!counter_add_limited16(h->counters + 2 * bin, ticks->weight, SOLARIS_FULL, &sum))
		return SINK_DONE;
	if (sum < SOLARIS_FULL)
		return SINK_COUNTED;
	__atomic_store_n(&h->full, true, __ATOMIC_RELAXED);
	return SINK_DONE;
}

static int start(struct histogram new)
{
	struct sampler_setting setting = config_read();
	sys_sigset mask = lock_take();
	int err;

	sampler_detach();
	histogram = new;
	err = sampler_start(&histogram.sink, &setting);
	if (err) {
		lock_release(mask);
		errno = -err;
		return -1;
	}
	lock_release_listening(mask);
	return 0;
}

static int stop(void)
{
	sys_sigset mask = lock_take();

	sampler_stop();
	lock_release(mask);
	return 0;
}

EXPORT int profil_linux(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale)
{
	if (!buf)
		return stop();
	return start((struct histogram){
		.sink = { take_wrapping, .follows_fork = false },
		.counters = (char *)buf,
		.count = bufsiz / 2,
		.offset = offset,
		.scale = scale,
	});
}

EXPORT int profil_bsd(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
	if (scale > 65536) {
		errno = EINVAL;
		return -1;
	}
	if (scale == 0)
		return stop();
	if (!probe_writable_range(samples, size & ~(size_t)1)) {
		stop();
		errno = EFAULT;
		return -1;
	}
	return start((struct histogram){
		.sink = { take_wrapping, .follows_fork = true },
		.counters = samples,
		.count = size / 2,
		.offset = offset,
		.scale = scale,
	});
}

EXPORT void profil_solaris(unsigned short *buff, size_t bufsiz, unsigned long offset,
			   unsigned int scale)
{
	int saved_errno = errno;

	if (scale <= 1)
		stop();
	else
		start((struct histogram){
			.sink = { take_solaris, .follows_fork = true },
			.counters = (char *)buff,
			.count = bufsiz / 2,
			.offset = offset,
			.scale = scale,
		});
	errno = saved_errno; /* the call returns nothing, not even an error */
}

EXPORT int profil_clock_info(struct profil_clock_info *info)
{
	sys_sigset mask;

	if (!info) {
		errno = EINVAL;
		return -1;
	}
	mask = lock_take();
	sampler_info(info);
	lock_release(mask);
	return 0;
}
