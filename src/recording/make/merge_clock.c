/* SPDX-License-Identifier: MIT */
#include "merge_clock.h"

#include <string.h>

#include "pack.h"

/* The start on a new clock: late enough for mappings that are older than the recording. */
#define START (UINT64_C(1) << 50)

/* The longest time between two recordings; any other time of day is a damaged header. */
#define SPAN_MAX_NS 1e18

#define SECOND_NS 1000000000

struct merge_times merge_times_of(const struct record_header *header)
{
	struct merge_times times = { .clock = header->clock,
				     .started_unix_ns = header->started_unix_ns,
				     .started = header->started,
				     .ended = header->ended,
				     .read = header->archive.read,
				     .scale = timescale_of(header) };

	memcpy(times.boot_id, header->boot_id, sizeof(times.boot_id));
	return times;
}

static bool is_same_instant(const struct record_instant *a, const struct record_instant *b)
{
	return a->ticks == b->ticks && a->ns == b->ns;
}

bool merge_times_hold(const struct merge_times *times, const struct record_header *header)
{
	return times->clock == header->clock && times->started_unix_ns == header->started_unix_ns &&
	       memcmp(times->boot_id, header->boot_id, sizeof(times->boot_id)) == 0 &&
	       is_same_instant(&times->started, &header->started);
}

static bool is_known_boot(const struct merge_times *times)
{
	static const uint8_t unknown[sizeof(times->boot_id)];

	return memcmp(times->boot_id, unknown, sizeof(unknown)) != 0;
}

static bool have_one_clock(const struct merge_times *times, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!is_known_boot(times) || times[i].clock != times->clock ||
		    memcmp(times[i].boot_id, times->boot_id, sizeof(times->boot_id)) != 0)
			return false;
	return true;
}

struct merge_clock merge_clock_choose(const struct merge_times *times, size_t count)
{
	struct merge_clock clock = { .is_theirs = have_one_clock(times, count),
				     .clock = times->clock,
				     .ns_per_tick = 1 };

	for (size_t i = 0; i < count; i++) {
		uint64_t since = times[i].started_unix_ns;

		if (since && (!clock.since_unix_ns || since < clock.since_unix_ns))
			clock.since_unix_ns = since;
		if (times[i].clock == RECORD_CLOCK_TICKS)
			clock.clock = RECORD_CLOCK_TICKS;
		if (times[i].scale.ns_per_tick < clock.ns_per_tick)
			clock.ns_per_tick = times[i].scale.ns_per_tick;
	}
	return clock;
}

/* Returns the time from the first start to that of one of them. */
static uint64_t since(const struct merge_clock *clock, const struct merge_times *times)
{
	uint64_t ns = times->started_unix_ns ? times->started_unix_ns - clock->since_unix_ns : 0;

	return (double)ns < SPAN_MAX_NS ? ns : (uint64_t)SPAN_MAX_NS;
}

static uint64_t instant_of(const struct merge_clock *clock, uint64_t ns)
{
	return START + (uint64_t)((double)ns / clock->ns_per_tick + 0.5);
}

struct retime merge_clock_retime(const struct merge_clock *clock, const struct merge_times *times)
{
	return (struct retime){ .from = times->started.ticks,
				.to = instant_of(clock, since(clock, times)),
				.factor = times->scale.ns_per_tick / clock->ns_per_tick };
}

/* Keeps the earlier start and the later end. */
static void widen(struct record_header *header, const struct merge_times *times)
{
	if (times->started.ns &&
	    (!header->started.ns || times->started.ticks < header->started.ticks)) {
		header->started = times->started;
		header->started_unix_ns = times->started_unix_ns;
	}
	if (times->ended.ns && times->ended.ticks > header->ended.ticks)
		header->ended = times->ended;
	if (times->read.ns && times->read.ticks > header->archive.read.ticks)
		header->archive.read = times->read;
}

static void put_theirs(const struct merge_times *times, size_t count, struct record_header *header)
{
	memcpy(header->boot_id, times->boot_id, sizeof(header->boot_id));
	for (size_t i = 0; i < count; i++)
		widen(header, &times[i]);
	if (header->ended.ns)
		header->archive.read = (struct record_instant){ 0 };
	pack_keep_rate(header);
}

/* The second instant of the clock is at the last end, if there is one. */
static void put_new(const struct merge_clock *clock, const struct merge_times *times, size_t count,
		    struct record_header *header)
{
	struct record_instant *second = &header->archive.read;
	uint64_t last = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t end = since(clock, &times[i]);

		if (times[i].ended.ns <= times[i].started.ns)
			continue;
		second = &header->ended;
		end += times[i].ended.ns - times[i].started.ns;
		last = end > last ? end : last;
	}
	if (!last || (double)last > 2 * SPAN_MAX_NS)
		last = SECOND_NS;
	header->started_unix_ns = clock->since_unix_ns;
	header->started = (struct record_instant){ instant_of(clock, 0), SECOND_NS };
	*second = (struct record_instant){ instant_of(clock, last), SECOND_NS + last };
}

void merge_clock_put(const struct merge_clock *clock, const struct merge_times *times, size_t count,
		     struct record_header *header)
{
	header->clock = clock->clock;
	if (clock->is_theirs)
		put_theirs(times, count, header);
	else
		put_new(clock, times, count, header);
}
