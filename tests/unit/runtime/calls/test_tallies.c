/* SPDX-License-Identifier: MIT
 *
 * test_tallies.c - the bin of the histogram in which a duration is counted: by C, by the assembly,
 * and according to recording/format.h.
 */
#include <inttypes.h>
#include "../../apart.h"
#include "../../random64.h"
#include "runtime/calls/tallies.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

NOINLINE static void quiet(void)
{
	__asm__ volatile("" ::: "memory");
}

static void (*wquiet)(void);

/* A tally without a history. */
static struct tally *begin(uint32_t flags)
{
	wrapped_begin_with(flags, RECORD_CLOCK_TICKS);
	wquiet = WRAP(quiet);
	wquiet();
	return tally_here((void *)wquiet);
}

/* Returns the count in the bin of a duration, as a reader finds it. */
static uint64_t counted(uint64_t duration)
{
	uint32_t octave = recording_octave_of(duration);
	uint64_t count = 0, bin = recording_bin_of(duration, octave);
	size_t size;
	const char *bytes = recording_map(&size);

	for (const struct record_segment *segment = NULL;
	     (segment = recording_next(bytes, size, segment));)
		for (const struct record_item *item = NULL; (item = item_next(segment, item));) {
			const struct record_octave *seen = (const struct record_octave *)item;

			if (item->kind == RECORD_OCTAVE && seen->octave == octave)
				count += seen->bins[bin];
		}
	munmap((void *)bytes, size);
	return count;
}

/* Returns the sum of all octaves of the tally. */
static uint64_t total(const struct tally *tally)
{
	uint64_t count = 0;

	for (unsigned octave = 0; octave < RECORD_OCTAVES; octave++)
		for (unsigned bin = octave ? RECORD_BINS : 0;
		     tally->octaves[octave] && bin < 2 * RECORD_BINS; bin++)
			count += tally->octaves[octave][bin];
	return count;
}

/* Durations at every edge: around each power of 2 and each bin of it, and the odd ones. */
static uint64_t edges[64 * 40];
static size_t edge_count;

static void make_edges(void)
{
	for (unsigned bit = 0; bit < 64; bit++)
		for (uint64_t part = 0; part < 12; part++) {
			uint64_t power = UINT64_C(1) << bit;
			uint64_t edge = power + part / 3 * (power / 4);

			edges[edge_count++] = edge + part % 3 - 1;
		}
	edges[edge_count++] = UINT64_MAX - 1; /* the largest one */
}

static void by_c(void)
{
	struct tally *tally = begin(0);
	bool late = true, right = true;

	for (size_t i = 0; i < edge_count; i++) {
		uint64_t before = counted(edges[i]), all = total(tally);

		tally->seen.last = UINT64_MAX;
		tallies_add_duration(calls_this, tally, edges[i], 1);
		late = tally->seen.last == edges[i] && total(tally) == all && late;
		tallies_add_duration(calls_this, tally, 1, 1);
		right = counted(edges[i]) == before + 1 && total(tally) == all + 1 && right;
	}
	ok(late, "a duration is not in the octaves until the next one comes");
	ok(right, "then it is in the bin it belongs to, and in no other");
	ok(total(tally) == edge_count, "nothing is lost of %zu durations", edge_count);
}

/* Each twice: the first time its octave may have to be made, which is left to C. */
static void by_assembly(void)
{
	struct tally *tally = begin(0);
	bool right = true;

	for (size_t i = 0; i < 2 * edge_count; i++) {
		uint64_t duration = edges[i / 2], before = counted(duration), all = total(tally);

		tally->seen.last = duration;
		wquiet();
		if (counted(duration) != before + 1 || total(tally) != all + 1) {
			note("%#" PRIx64 ": %" PRIu64 " more, %" PRIu64 " in all", duration,
			     counted(duration) - before, total(tally) - all);
			right = false;
		}
	}
	ok(right, "the assembly puts durations into the same bins");
	ok(SEEN(wquiet).returned == 2 * edge_count + 1, "and counts the return");
}

static void what_returns(void)
{
	struct tally *tally = begin(0);
	uint64_t before;

	for (int i = 0; i < 1000; i++)
		wquiet();
	before = tally->seen.returned;
	ok(total(tally) == before - 1 && tally->seen.last != UINT64_MAX,
	   "all that has returned is in the octaves, but for the last");
	ok(tally->seen.last >= tally->seen.min && tally->seen.last <= tally->seen.max,
	   "which is one like the others");
}

/* A timed call that stands for others is counted as often, and at once. */
static void by_gap(void)
{
	struct tally *tally = begin(RECORD_SAMPLE_TIMING);
	uint64_t state = 1;
	bool right = true;

	for (int i = 0; i < 1000; i++) {
		uint64_t duration = random64_any_size(&state), before = counted(duration);
		uint64_t gap = 1 + random64_below(&state, RECORDS_GAP_MAX);

		tallies_add_duration(calls_this, tally, duration, gap);
		right = counted(duration) == before + gap && right;
	}
	ok(right, "with --sample-timing a duration is counted as often as it stands for");
	ok(tally->seen.last == UINT64_MAX, "and at once");
}

int main(void)
{
	make_edges();
	apart("by C", by_c);
	apart("by the assembly", by_assembly);
	apart("what returns", what_returns);
	apart("by gap", by_gap);
	return tap_done();
}
