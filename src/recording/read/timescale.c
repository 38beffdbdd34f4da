/* SPDX-License-Identifier: MIT */
#include "timescale.h"

#include <string.h>
#include <time.h>

#include "recording/make/timebase.h"

/* Counters run at 1 MHz to 100 GHz; any other rate is a damaged header. */
#define SLOWEST_NS 1000.0
#define FASTEST_NS 0.01

static bool rate_between(const struct record_instant *from, const struct record_instant *to,
			 double *ns_per_tick)
{
	if (from->ns == 0 || to->ns <= from->ns || to->ticks <= from->ticks)
		return false;
	*ns_per_tick = (double)(to->ns - from->ns) / (double)(to->ticks - from->ticks);
	return *ns_per_tick >= FASTEST_NS && *ns_per_tick <= SLOWEST_NS;
}

static bool is_this_boot(const struct record_header *header)
{
	uint8_t id[sizeof(header->boot_id)];

	return timebase_boot_id(id) && memcmp(id, header->boot_id, sizeof(id)) == 0;
}

/* Measures the rate of the counter here, long enough for a precision of a part in 10000; once for
 * any number of recordings. */
static double rate_here(void)
{
	static const struct timespec while_we_wait = { .tv_nsec = 20000000 };
	static double ns_per_tick;
	struct record_instant from, to;

	if (ns_per_tick > 0)
		return ns_per_tick;
	from = timebase_now(RECORD_CLOCK_TICKS);
	nanosleep(&while_we_wait, NULL);
	to = timebase_now(RECORD_CLOCK_TICKS);
	if (!rate_between(&from, &to, &ns_per_tick))
		ns_per_tick = 1;
	return ns_per_tick;
}

struct timescale timescale_of(const struct record_header *header)
{
	struct timescale scale = { .ns_per_tick = 1 };
	struct record_instant now;

	if (header->clock == RECORD_CLOCK_NS ||
	    rate_between(&header->started, &header->ended, &scale.ns_per_tick))
		return scale;
	/* For an archive, the instant of reading was that of archiving. */
	now = header->archive.read.ns ? header->archive.read : timebase_now(RECORD_CLOCK_TICKS);
	if (!header->ended.ns && (header->archive.read.ns || is_this_boot(header)) &&
	    rate_between(&header->started, &now, &scale.ns_per_tick))
		return scale;
	return (struct timescale){ .ns_per_tick = rate_here(), .estimated = true };
}

uint64_t timescale_ns(const struct timescale *scale, double ticks)
{
	double ns = ticks * scale->ns_per_tick + 0.5;

	if (!(ns >= 0))
		return 0;
	return ns < 18e18 ? (uint64_t)ns : UINT64_MAX;
}
