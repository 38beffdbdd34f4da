/* SPDX-License-Identifier: MIT */
#include "retime.h"

#include "retime_octaves.h"

/* No later instant occurs in a valid recording: 46 years of a CPU's counter. */
#define LATEST (UINT64_C(1) << 62)

uint64_t retime_instant(const struct retime *retime, uint64_t ticks)
{
	bool is_later = ticks >= retime->from;
	double by =
		(double)(is_later ? ticks - retime->from : retime->from - ticks) * retime->factor;

	if (is_later)
		return by < (double)(LATEST - retime->to) ? retime->to + (uint64_t)by : LATEST;
	/* One tick less than needed at times, which is rounding down. */
	return by + 1 < (double)retime->to ? retime->to - (uint64_t)by - 1 : 1;
}

uint64_t retime_duration(const struct retime *retime, uint64_t ticks)
{
	double by = (double)ticks * retime->factor + 0.5;

	if (ticks == UINT64_MAX)
		return ticks;
	return by < (double)LATEST ? (uint64_t)by : LATEST;
}

/* ---- samples ---- */

/* Returns the instant of the next sample on the old clock, up to the end of time. */
static uint64_t later(uint64_t time, const struct record_samples *samples, uint32_t i)
{
	uint64_t units = samples->samples[i].time, by = units << samples->time_shift;

	if (by >> samples->time_shift != units || time > UINT64_MAX - by)
		return UINT64_MAX;
	return time + by;
}

/* Returns the smallest unit in which the time between any two samples fits, though each is relative
 * to the rounded time of the previous one. */
static uint32_t shift_for(const struct record_samples *samples, const struct retime *retime)
{
	uint64_t old = samples->time, reached = retime_instant(retime, old), longest = 0;
	uint32_t shift = 0;

	for (uint32_t i = 0; i < samples->count; i++) {
		uint64_t time;

		old = later(old, samples, i);
		time = retime_instant(retime, old);
		if (time - reached > longest)
			longest = time - reached;
		reached = time;
	}
	while (longest >> shift >= UINT16_MAX)
		shift++;
	return shift;
}

/* Rounds down, as writers do: a sample is never later than it was, so that it stays before the end
 * of its mapping. */
static void retime_samples(struct record_samples *samples, const struct retime *retime)
{
	uint32_t shift = shift_for(samples, retime);
	uint64_t old = samples->time, first = retime_instant(retime, old), reached = first;

	for (uint32_t i = 0; i < samples->count; i++) {
		uint64_t units;

		old = later(old, samples, i);
		units = (retime_instant(retime, old) - reached) >> shift;
		samples->samples[i].time = (uint16_t)units;
		reached += units << shift;
	}
	samples->time = first;
	samples->time_shift = shift;
}

/* ---- other items ---- */

static void retime_calls(struct record_calls *calls, const struct retime *retime)
{
	if (!reader_has_times(calls))
		return;
	calls->sum = retime_duration(retime, calls->sum);
	calls->again = retime_duration(retime, calls->again);
	calls->self = calls->self < 0 ? -(int64_t)retime_duration(retime, -(uint64_t)calls->self)
				      : (int64_t)retime_duration(retime, (uint64_t)calls->self);
	calls->min = retime_duration(retime, calls->min);
	calls->max = retime_duration(retime, calls->max);
	calls->last = retime_duration(retime, calls->last);
}

static void retime_waits(struct record_waits *waits, const struct retime *retime)
{
	waits->sum = retime_duration(retime, waits->sum);
	waits->watched = retime_duration(retime, waits->watched);
}

static void retime_sums(struct record_sums *sums, const struct retime *retime)
{
	for (uint32_t i = 0; i < sums->count; i++)
		sums->sums[i].time = retime_instant(retime, sums->sums[i].time);
}

/* Converts the time of a mapping, or of a process; 0 is before all. */
static uint64_t start_of(const struct retime *retime, uint64_t ticks)
{
	return ticks ? retime_instant(retime, ticks) : 0;
}

static void retime_item(struct record_item *item, const struct retime *retime)
{
	struct record_map *map = (struct record_map *)item;
	struct record_unmap *unmap = (struct record_unmap *)item;
	struct record_arcs *arcs = (struct record_arcs *)item;
	struct record_script *script = (struct record_script *)item;

	switch (item->kind) {
	case RECORD_SAMPLES:
		retime_samples((struct record_samples *)item, retime);
		break;
	case RECORD_SUMS:
		retime_sums((struct record_sums *)item, retime);
		break;
	case RECORD_CALLS:
		retime_calls((struct record_calls *)item, retime);
		break;
	case RECORD_WAITS:
		retime_waits((struct record_waits *)item, retime);
		break;
	case RECORD_MAP:
		map->time = start_of(retime, map->time);
		break;
	case RECORD_UNMAP:
		unmap->time = start_of(retime, unmap->time);
		break;
	case RECORD_SCRIPT:
		script->time = start_of(retime, script->time);
		break;
	case RECORD_ARCS:
		arcs->time = start_of(retime, arcs->time);
		break;
	default:
		break;
	}
}

static void retime_process(struct record_process *process, const struct retime *retime)
{
	process->started = start_of(retime, process->started);
	process->inside = retime_duration(retime, process->inside);
	process->outside = retime_duration(retime, process->outside);
}

static int retime_segment(struct reader_segment *segment, const struct retime *retime,
			  struct err *err)
{
	const struct record_item *item = NULL;
	bool has_octaves = false;

	if (segment->kind == RECORD_PROCESS)
		retime_process((struct record_process *)reader_process(segment), retime);
	while ((item = reader_next(segment, item))) {
		/* The reader's memory is the caller's to change. */
		retime_item((struct record_item *)item, retime);
		has_octaves = has_octaves || item->kind == RECORD_OCTAVE;
	}
	return has_octaves && retime->factor != 1 ? retime_octaves(segment, retime, err) : 0;
}

int retime_segments(struct reader *reader, const struct retime *retime, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++)
		status = retime_segment(&reader->segments[i], retime, err);
	return status;
}
