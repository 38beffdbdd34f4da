/* SPDX-License-Identifier: MIT
 *
 * sprofil.c - sprofil(): many regions at once. The sink with a table of them, and the call itself.
 *
 * If regions overlap, the one that starts higher has the range; of two with the same start, the one
 * named first. The call makes the table once: regions cut into spans that do not overlap, in the
 * order of their addresses, so that the handler searches it in O(log n).
 */
#include <errno.h>
#include <profil.h>

#include "base/bisect.h"
#include "base/export.h"
#include "bins.h"
#include "config.h"
#include "counter.h"
#include "runtime/sampler/sampler.h"
#include "runtime/sampler/tick_path.h"

struct region {
	uint64_t start, end; /* the text it covers: [start, end) */
	char *counters;
	size_t count;
	uint32_t scale;
};

/* `region` counts from `start` to the start of the next span; NULL: none does. */
struct span {
	uint64_t start;
	const struct region *region;
};

/*
 * Written under the lock while no handler uses it. Regions and spans share one mapping. Invariant:
 * spans[i].start < spans[i + 1].start; addresses below spans[0] belong to no region.
 */
static struct table {
	struct sink sink;
	void *memory;
	size_t memory_size;
	struct span *spans;
	size_t span_count;
	char *overflow; /* the counter for addresses of no region; NULL: none was requested */
	unsigned int counter_bytes;
} table;

/* ---- the handler's part ---- */

static uint64_t start_at(const void *spans, size_t i)
{
	return ((const struct span *)spans)[i].start;
}

TICK_PATH static const struct region *region_of(const struct table *t, uint64_t pc)
{
	size_t before = bisect(start_at, t->spans, t->span_count, pc);

	return before ? t->spans[before - 1].region : NULL;
}

static bool add(const struct table *t, char *counter, uint64_t weight)
{
	uint16_t sum16;
	uint32_t sum32;

	return t->counter_bytes == sizeof(uint32_t)
		       ? counter_add_limited32(counter, weight, UINT32_MAX, &sum32)
		       : counter_add_limited16(counter, weight, UINT16_MAX, &sum16);
}

TICK_PATH static enum sink_answer take(struct sink *sink, const struct sink_ticks *ticks)
{
	struct table *t = (struct table *)sink;
	uintptr_t pc = ticks->pc;
	const struct region *r = region_of(t, pc);
	uint64_t bin = r ? bins_linux(pc, r->start, r->scale, t->counter_bytes) : BINS_NONE;

	if (r && bin < r->count)
		return add(t, r->counters + bin * t->counter_bytes, ticks->weight) ? SINK_COUNTED
										   : SINK_DONE;
	if (t->overflow && !add(t, t->overflow, ticks->weight))
		return SINK_DONE;
	return SINK_OUTSIDE;
}

/* ---- making the table ---- */

static bool is_overflow(const struct prof *p)
{
	return p->pr_off == 0 && p->pr_scale == 2;
}

/* Sorts regions by start; those with the same start stay in order. */
static void insert_region(struct region *regions, size_t count, struct region new)
{
	size_t at = count;

	for (; at > 0 && regions[at - 1].start > new.start; at--)
		regions[at] = regions[at - 1];
	regions[at] = new;
}

/*
 * Returns the owner of the text from `at` on: the highest start that reaches it, the first of
 * equals.
 */
static const struct region *owner(const struct region *regions, size_t count, uint64_t at)
{
	const struct region *best = NULL;

	for (const struct region *r = regions; r < regions + count && r->start <= at; r++)
		if (at < r->end && (!best || r->start > best->start))
			best = r;
	return best;
}

/*
 * Returns where the owner may change next after `at`: the nearest start or end. UINT64_MAX:
 * nowhere.
 */
static uint64_t next_edge(const struct region *regions, size_t count, uint64_t at)
{
	uint64_t edge = UINT64_MAX;

	for (const struct region *r = regions; r < regions + count; r++) {
		if (r->start > at && r->start < edge)
			edge = r->start;
		if (r->end > at && r->end < edge)
			edge = r->end;
	}
	return edge;
}

static size_t cut_spans(const struct region *regions, size_t count, struct span *spans)
{
	size_t n = 0;

	if (count == 0)
		return 0;
	for (uint64_t at = regions[0].start; at != UINT64_MAX; at = next_edge(regions, count, at)) {
		const struct region *who = owner(regions, count, at);

		if (n == 0 || spans[n - 1].region != who)
			spans[n++] = (struct span){ at, who };
	}
	return n;
}

/* Returns 0 or -errno. */
static int table_make(struct table *t, const struct prof *profp, size_t profcnt, unsigned int flags)
{
	struct region *regions;
	size_t count = 0;

	*t = (struct table){
		.sink = { take, .follows_fork = false },
		.counter_bytes = flags & PROF_UINT ? sizeof(uint32_t) : sizeof(uint16_t),
		/* n regions have at most 2n edges */
		.memory_size = profcnt * (sizeof(struct region) + 2 * sizeof(struct span)),
	};
	t->memory =
		sys_mmap(t->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (sys_failed(t->memory))
		return -ENOMEM;
	regions = t->memory;
	t->spans = (struct span *)(regions + profcnt);
	for (size_t i = 0; i < profcnt; i++) {
		const struct prof *p = &profp[i];
		uint32_t scale = p->pr_scale > UINT32_MAX ? UINT32_MAX : (uint32_t)p->pr_scale;
		size_t bins = p->pr_size / t->counter_bytes;
		uint64_t end;

		if (bins == 0 || scale < 2)
			continue;
		if (is_overflow(p)) {
			t->overflow = p->pr_base;
			continue;
		}
		if (__builtin_add_overflow((uint64_t)p->pr_off,
					   bins_linux_end(bins, scale, t->counter_bytes), &end))
			end = UINT64_MAX;
		insert_region(regions, count++,
			      (struct region){ p->pr_off, end, p->pr_base, bins, scale });
	}
	t->span_count = cut_spans(regions, count, t->spans);
	return 0;
}

static void table_free(struct table *t)
{
	if (t->memory)
		sys_munmap(t->memory, t->memory_size);
	t->memory = NULL;
}

/* ---- the call ---- */

EXPORT int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags)
{
	struct sampler_setting setting = config_read();
	struct table new = { 0 };
	sys_sigset mask;
	int err = 0;

	if (profcnt < 0 || (profcnt > 0 && !profp)) {
		errno = EINVAL;
		return -1;
	}
	if (profcnt > 0)
		err = table_make(&new, profp, (size_t)profcnt, flags);
	if (err) {
		errno = -err;
		return -1;
	}
	mask = lock_take();
	if (tvp) {
		uint64_t us = sampler_tick_ns(&setting) / 1000;

		tvp->tv_sec = (time_t)(us / 1000000);
		tvp->tv_usec = (suseconds_t)(us % 1000000);
	}
	if (profcnt > 0)
		sampler_detach();
	else
		sampler_stop();
	table_free(&table);
	table = new;
	if (profcnt > 0)
		err = sampler_start(&table.sink, &setting);
	if (err) {
		lock_release(mask);
		errno = -err;
		return -1;
	}
	if (profcnt > 0)
		lock_release_listening(mask);
	else
		lock_release(mask);
	return 0;
}
