/* SPDX-License-Identifier: MIT
 *
 * test_sprofil.c - sprofil(): the region of a tick, and its count there.
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "fake_sampler.h"

#include "runtime/profil/sprofil.c"

#include "../../pages.h"
#include "../../random64.h"

static uint16_t low[64], high[64], over[1];

static void clear(void)
{
	sprofil(NULL, 0, NULL, 0);
	memset(low, 0, sizeof(low));
	memset(high, 0, sizeof(high));
	memset(over, 0, sizeof(over));
}

/* One byte of text per counter, so that counters show where ticks went. */
#define BYTEWISE 131072

static const struct prof overflow_bin = { over, sizeof(over), 0, 2 };

/* ---- the meaning of a table, in the simplest form ---- */

/* Returns whether the bin of d is in the buffer. In two words, since a scale may be any number. */
static bool reaches(const struct prof *p, uint64_t pc, unsigned int counter_bytes, uint64_t *bin)
{
	uint64_t units = (pc - p->pr_off) / counter_bytes, upper, lower;
	uint32_t scale = p->pr_scale > UINT32_MAX ? UINT32_MAX : (uint32_t)p->pr_scale;

	if (scale < 2 || pc < p->pr_off || (p->pr_off == 0 && p->pr_scale == 2))
		return false;
	upper = (units >> 32) * scale;
	lower = (units & UINT32_MAX) * scale >> 16;
	*bin = (upper << 16) + lower;
	return upper < UINT64_C(1) << 32 && *bin < p->pr_size / counter_bytes;
}

/* Returns the counter of a pc; NULL: none. */
static char *oracle(const struct prof *p, size_t count, uint64_t pc, unsigned int counter_bytes)
{
	const struct prof *best = NULL;
	char *overflow = NULL;
	uint64_t bin, best_bin = 0;

	for (size_t i = 0; i < count; i++) {
		if (p[i].pr_off == 0 && p[i].pr_scale == 2 && p[i].pr_size >= counter_bytes)
			overflow = p[i].pr_base;
		if (reaches(&p[i], pc, counter_bytes, &bin) &&
		    (!best || p[i].pr_off > best->pr_off)) {
			best = &p[i];
			best_bin = bin;
		}
	}
	return best ? (char *)best->pr_base + best_bin * counter_bytes : overflow;
}

/* ---- a single region ---- */

static void one_region(void)
{
	struct prof region = { low, sizeof(low), 0x1000, 65536 };

	clear();
	ok(sprofil(&region, 1, NULL, PROF_USHORT) == 0 && fake.sink, "one region: it runs");
	ok(fake_tick(0x1002) == SINK_COUNTED && low[1] == 1, "one region: it counts");
	ok(fake_tick(0x107f) == SINK_COUNTED && low[63] == 1, "one region: up to its end");
	ok(fake_tick(0x1080) == SINK_OUTSIDE && fake_tick(UINTPTR_MAX) == SINK_OUTSIDE,
	   "one region: not behind");
	ok(fake_tick(0xfff) == SINK_OUTSIDE && fake_tick(0) == SINK_OUTSIDE,
	   "one region: a pc below the lowest is in none");
	low[0] = 65534;
	fake_ticks(0x1000, 5);
	ok(low[0] == 65535, "one region: counters saturate");
	ok(!fake.sink->follows_fork, "one region: it ends in the child of a fork");
	ok(sprofil(NULL, 0, NULL, 0) == 0 && !fake.sink, "one region: no regions turn it off");
}

static void overflow(void)
{
	struct prof regions[] = { { low, sizeof(low), 0x1000, 65536 }, overflow_bin };

	clear();
	sprofil(regions, 2, NULL, PROF_USHORT);
	fake_tick(0x1000);
	ok(low[0] == 1 && over[0] == 0, "overflow: the first tick of a region is the region's");
	ok(fake_tick(0) == SINK_OUTSIDE && fake_tick(0xfff) == SINK_OUTSIDE && over[0] == 2,
	   "overflow: what is below all regions is counted there");
	fake_tick(0x1080);
	fake_ticks(UINTPTR_MAX, 3);
	ok(over[0] == 6, "overflow: what is above too, by its weight");
	over[0] = 65535;
	fake_tick(0);
	ok(over[0] == 65535, "overflow: it saturates");
	clear();
	regions[0] = overflow_bin;
	regions[1] = (struct prof){ low, sizeof(low), 0x1000, 65536 };
	sprofil(regions, 2, NULL, PROF_USHORT);
	fake_tick(0);
	fake_tick(0x1000);
	ok(over[0] == 1 && low[0] == 1, "overflow: it may be named first");
	clear();
	sprofil(regions, 1, NULL, PROF_USHORT);
	fake_tick(0x1000);
	ok(over[0] == 1, "overflow: alone it gets everything");
	regions[0].pr_size = 1;
	sprofil(regions, 1, NULL, PROF_USHORT);
	ok(fake_tick(0x1000) == SINK_OUTSIDE && over[0] == 1,
	   "overflow: one too small for a counter is none");
}

static void ignored(void)
{
	struct prof regions[] = { { low, sizeof(low), 0x1000, 0 },
				  { low, sizeof(low), 0x1000, 1 },
				  { low, 0, 0x1000, 65536 },
				  { low, 1, 0x1000, 65536 } };

	clear();
	ok(sprofil(regions, 4, NULL, PROF_USHORT) == 0 && fake.sink,
	   "regions without a scale or a counter are accepted");
	ok(fake_tick(0x1000) == SINK_OUTSIDE && low[0] == 0, "and ignored");
	regions[2].pr_scale = 2;
	regions[2].pr_size = sizeof(low);
	sprofil(regions, 4, NULL, PROF_USHORT);
	ok(fake_tick(0x1000) == SINK_COUNTED && low[0] == 1,
	   "scale 2 is none of these where the offset is not 0");
}

static void wide_counters(void)
{
	uint32_t counters[4] = { 0 }, overflow32 = 0;
	struct prof regions[] = { { counters, sizeof(counters), 0x1000, 65536 },
				  { &overflow32, sizeof(overflow32), 0, 2 } };

	clear();
	sprofil(regions, 2, NULL, PROF_UINT);
	fake_ticks(0x1003, 70000);
	fake_tick(0x1004);
	fake_tick(0x100f);
	ok(counters[0] == 70000 && counters[1] == 1 && counters[3] == 1,
	   "PROF_UINT: 32-bit counters, four bytes of text each");
	fake_ticks(0x1010, 70000);
	ok(overflow32 == 70000, "PROF_UINT: so is the overflow bin");
	counters[0] = UINT32_MAX - 1;
	fake_ticks(0x1000, 10);
	ok(counters[0] == UINT32_MAX, "PROF_UINT: they saturate");
	regions[0].pr_size = 7;
	sprofil(regions, 2, NULL, PROF_UINT | PROF_FAST);
	ok(fake_tick(0x1000) == SINK_COUNTED && fake_tick(0x1004) == SINK_OUTSIDE,
	   "PROF_UINT: half a counter is none; PROF_FAST changes nothing");
}

/* ---- overlaps ---- */

static void overlap(void)
{
	struct prof regions[] = { { low, sizeof(low), 0x1000, BYTEWISE },
				  { high, 16, 0x1010, BYTEWISE } };

	for (int order = 0; order < 2; order++) {
		clear();
		sprofil(regions, 2, NULL, PROF_USHORT);
		for (uintptr_t pc = 0x1000; pc < 0x1040; pc++)
			fake_tick(pc);
		/* Counters of two bytes each, for even addresses: 8 of them to 16 bytes. */
		ok(low[14] == 2 && low[16] == 0 && high[0] == 2 && high[6] == 2,
		   "overlap: the region that starts higher has the range");
		ok(low[22] == 0 && low[24] == 2 && low[62] == 2,
		   "overlap: behind it the lower one goes on");
		regions[0] = (struct prof){ high, 16, 0x1010, BYTEWISE };
		regions[1] = (struct prof){ low, sizeof(low), 0x1000, BYTEWISE };
	}
}

static void ties(void)
{
	struct prof regions[] = { { high, 8, 0x1000, BYTEWISE },
				  { low, sizeof(low), 0x1000, BYTEWISE },
				  { over, sizeof(over), 0x1000, BYTEWISE } };

	clear();
	sprofil(regions, 3, NULL, PROF_USHORT);
	fake_tick(0x1000);
	ok(high[0] == 1 && low[0] == 0 && over[0] == 0, "a tie: who was named first has the range");
	fake_tick(0x1004);
	ok(low[4] == 1, "a tie: behind the end of the first the second has it");
}

static void whole_address_space(void)
{
	struct prof regions[] = { { low, sizeof(low), 0, 3 },
				  { high, sizeof(high), UINTPTR_MAX - 9, 65536 },
				  { over, sizeof(over), UINTPTR_MAX, 65536 } };

	clear();
	ok(sprofil(regions, 3, NULL, PROF_USHORT) == 0,
	   "regions may reach the end of all addresses");
	fake_tick(0);
	fake_tick(UINTPTR_MAX - 9);
	fake_tick(UINTPTR_MAX - 1);
	ok(low[0] == 1 && high[0] == 1 && high[4] == 1, "and count up to there");
	regions[0].pr_size = SIZE_MAX;
	regions[0].pr_scale = ULONG_MAX;
	ok(sprofil(regions, 3, NULL, PROF_USHORT) == 0 && fake_tick(0) == SINK_COUNTED &&
		   low[0] == 2,
	   "sizes and scales beyond all measure do no harm");
}

/* ---- many regions, compared with the oracle ---- */

#define MOST_REGIONS 40
#define SLOTS        4096 /* bytes of counters for a region, no two share any */

static _Alignas(uint32_t) char counters[MOST_REGIONS][SLOTS];

/* Small numbers close together, so that starts, ends and ties collide all the time. */
static size_t random_table(uint64_t *state, struct prof *regions, size_t most)
{
	size_t count = 1 + random64_below(state, most);

	for (size_t i = 0; i < count; i++) {
		unsigned long scale = 1 + random64_below(state, 200000);

		if (random64_below(state, 3) == 0)
			scale = 1UL << random64_below(state, 20);
		regions[i] = (struct prof){
			.pr_base = counters[i],
			.pr_size = random64_below(state, random64_below(state, 4) ? 64 : SLOTS),
			.pr_off = random64_below(state, 300),
			.pr_scale = scale,
		};
	}
	if (random64_below(state, 2))
		regions[random64_below(state, count)] = (struct prof){ over, sizeof(over), 0, 2 };
	return count;
}

/* Returns where a tick at pc is counted; NULL: nowhere. Does not count it. */
static char *counter_of(uint64_t pc)
{
	const struct region *r = region_of(&table, pc);
	uint64_t bin = r ? bins_linux(pc, r->start, r->scale, table.counter_bytes) : BINS_NONE;

	return r && bin < r->count ? r->counters + bin * table.counter_bytes : table.overflow;
}

static bool same_as_oracle(const struct prof *regions, size_t count, uint64_t pc)
{
	char *wanted = oracle(regions, count, pc, table.counter_bytes);
	char *got = counter_of(pc);

	if (got != wanted) {
		note("pc %" PRIu64 " of %zu regions with %u-byte counters:", pc, count,
		     table.counter_bytes);
		for (size_t i = 0; i < count; i++)
			note("  offset %zu size %zu scale %lu", regions[i].pr_off,
			     regions[i].pr_size, regions[i].pr_scale);
	}
	return got == wanted;
}

static bool table_is_in_order(void)
{
	for (size_t i = 1; i < table.span_count; i++)
		if (table.spans[i - 1].start >= table.spans[i].start)
			return false;
	return true;
}

static void random_tables(unsigned int flags, const char *kind)
{
	struct prof regions[MOST_REGIONS];
	uint64_t state = 6 + flags;
	bool same = true, sorted = true;
	size_t largest = 0;

	for (int n = 0; n < 2000 && same; n++) {
		size_t count = random_table(&state, regions, MOST_REGIONS);

		sprofil(regions, (int)count, NULL, flags);
		sorted = sorted && table_is_in_order();
		largest = count > largest ? count : largest;
		for (uint64_t pc = 0; pc < 400 && same; pc++)
			same = same_as_oracle(regions, count, pc);
		for (int i = 0; i < 100 && same; i++)
			same = same_as_oracle(regions, count, random64_any_size(&state));
	}
	ok(same, "%s: 2000 tables of up to %zu overlapping regions are those of the oracle", kind,
	   largest);
	ok(sorted, "%s: and in the order of their addresses", kind);
}

/* Thirteen regions that nest and chain, each tick counted for real: every count is the oracle's. */
static void thirteen_regions(unsigned int flags, const char *kind)
{
	static char got[13][SLOTS], wanted[13][SLOTS];
	unsigned int counter_bytes = flags & PROF_UINT ? 4 : 2;
	struct prof mine[13], theirs[13];

	memset(got, 0, sizeof(got));
	memset(wanted, 0, sizeof(wanted));
	for (size_t i = 0; i < 13; i++) {
		theirs[i] = (struct prof){ wanted[i], 256, i * i * 7 % 90, 65536 >> i % 3 };
		mine[i] = theirs[i];
		mine[i].pr_base = got[i];
	}
	sprofil(mine, 13, NULL, flags);
	for (uint64_t pc = 0; pc < 2000; pc++) {
		char *counter = oracle(theirs, 13, pc, counter_bytes);

		if (counter)
			add(&table, counter, 1);
		fake_tick(pc);
	}
	ok(memcmp(got, wanted, sizeof(got)) == 0, "%s: 13 overlapping regions count exactly", kind);
}

/* ---- the call ---- */

static void the_call(void)
{
	struct prof region = { low, sizeof(low), 0x1000, 65536 };
	struct timeval tick = { 0 };

	clear();
	ok(sprofil(&region, 1, &tick, 0) == 0 && tick.tv_sec == 0 &&
		   tick.tv_usec == FAKE_TICK_NS / 1000,
	   "the tick in use is returned");
	tick.tv_usec = 0;
	ok(sprofil(NULL, 0, &tick, 0) == 0 && tick.tv_usec == FAKE_TICK_NS / 1000,
	   "also when it is turned off");
	errno = 0;
	sprofil(&region, 1, NULL, 0);
	ok(sprofil(&region, -1, NULL, 0) == -1 && errno == EINVAL, "fewer than no regions: EINVAL");
	errno = 0;
	ok(sprofil(NULL, 1, NULL, 0) == -1 && errno == EINVAL, "no table: EINVAL");
	ok(fake_tick(0x1000) == SINK_COUNTED, "and what was running goes on");
	sprofil(NULL, 0, NULL, 0);
	ok(sprofil(NULL, 0, NULL, 0) == 0, "turning it off twice is fine");
	ok(sprofil(&region, 1, NULL, 0) == 0 && fake_tick(0x1000) == SINK_COUNTED && low[0] == 2,
	   "it can be turned on again");
	region = (struct prof){ high, sizeof(high), 0x1000, 65536 };
	ok(sprofil(&region, 1, NULL, 0) == 0 && fake_tick(0x1000) == SINK_COUNTED && low[0] == 2 &&
		   high[0] == 1,
	   "a call while it runs takes the place of the one before");
	memset(&region, 0, sizeof(region));
	ok(fake_tick(0x1000) == SINK_COUNTED && high[0] == 2, "the caller's table is not needed");
	fake.refusal = EPERM;
	errno = 0;
	region = (struct prof){ high, sizeof(high), 0x1000, 65536 };
	ok(sprofil(&region, 1, NULL, 0) == -1 && errno == EPERM && !fake.locked,
	   "where no clock is to be had, errno says why");
	fake.refusal = 0;
}

static void bad_memory(void)
{
	char *page = pages_new(1);
	struct prof regions[] = { { page, page_size(), 0x1000, 65536 }, overflow_bin };

	clear();
	sprofil(regions, 2, NULL, 0);
	pages_protect(page, 1, PROT_READ);
	ok(fake_tick(0) == SINK_OUTSIDE, "memory that goes bad does no harm where it is not used");
	ok(fake_tick(0x1000) == SINK_DONE, "where it is, profiling ends");
	regions[1] = (struct prof){ page, page_size(), 0, 2 };
	sprofil(regions + 1, 1, NULL, 0);
	ok(fake_tick(0) == SINK_DONE, "also in the overflow bin");
}

static void what_is_owed(void)
{
	struct prof region = { low, sizeof(low), 0x1000, 65536 };

	clear();
	sprofil(&region, 1, NULL, 0);
	fake.owed_pc = 0x1002;
	fake.owed = 4;
	sprofil(NULL, 0, NULL, 0);
	ok(low[1] == 4, "ticks that are owed when it is turned off are counted");
}

int main(void)
{
	one_region();
	overflow();
	ignored();
	wide_counters();
	overlap();
	ties();
	whole_address_space();
	random_tables(PROF_USHORT, "16 bits");
	random_tables(PROF_UINT, "32 bits");
	thirteen_regions(PROF_USHORT, "16 bits");
	thirteen_regions(PROF_UINT, "32 bits");
	the_call();
	bad_memory();
	what_is_owed();
	return tap_done();
}
