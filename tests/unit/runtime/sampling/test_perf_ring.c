/* SPDX-License-Identifier: MIT
 *
 * test_perf_ring.c - records in a ring, as the kernel writes them: backward, and over the oldest.
 */
#include <string.h>

#include "runtime/sampler/perf_event.h"
#include "runtime/sampling/perf_ring.h"
#include "tap.h"

static struct {
	_Alignas(PERF_EVENT_PAGE_BYTES) struct perf_event_mmap_page page;
	_Alignas(PERF_EVENT_PAGE_BYTES) uint64_t words[PERF_RING_BYTES / sizeof(uint64_t)];
} mapping;

static const struct thread thread = { .perf_page = &mapping };

static void begin(void)
{
	memset(&mapping, 0, sizeof(mapping));
}

static void put(uint64_t at, uint64_t word)
{
	mapping.words[at % PERF_RING_BYTES / sizeof(word)] = word;
}

/* Writes a record of `size` bytes below the others; words behind the count are given. */
static void write_record(uint32_t type, uint16_t size, uint64_t count, const uint64_t *more)
{
	struct perf_event_header header = { .type = type, .size = size };
	uint64_t at = mapping.page.data_head - size, word;

	memcpy(&word, &header, sizeof(word));
	put(at, word);
	put(at + 8, count);
	for (unsigned i = 16; i < size; i += 8)
		put(at + i, more[i / 8 - 2]);
	mapping.page.data_head = at;
}

static void counts(void)
{
	struct perf_ring ring;
	struct perf_ring_record record = { 0 };

	begin();
	ring = perf_ring_of(&thread, false);
	ok(!perf_ring_next(&ring, &record), "a new ring has none");
	ring = perf_ring_of(&(struct thread){ 0 }, false);
	ok(!perf_ring_next(&ring, &record), "nor has a thread without an event");
	write_record(PERF_RECORD_SAMPLE, 16, 7, NULL);
	write_record(PERF_RECORD_SAMPLE, 16, 9, NULL);
	ring = perf_ring_of(&thread, false);
	ok(perf_ring_next(&ring, &record) && record.count == 9 && !record.chain_count,
	   "the latest is the first");
	ok(perf_ring_next(&ring, &record) && record.count == 7 && !perf_ring_next(&ring, &record),
	   "then those before it");
	for (unsigned i = 10; i < 1010; i++)
		write_record(PERF_RECORD_SAMPLE, 16, i, NULL);
	ring = perf_ring_of(&thread, false);
	for (unsigned i = 1009; i >= 1010 - PERF_RING_BYTES / 16; i--)
		if (!perf_ring_next(&ring, &record) || record.count != i)
			record.count = 0;
	ok(record.count == 1010 - PERF_RING_BYTES / 16 && !perf_ring_next(&ring, &record),
	   "as many as there is room for");
}

static void chains(void)
{
	const uint64_t some[] = { 3, PERF_CONTEXT_KERNEL, 0xffffffff81000001, 0xffffffff81000002 };
	uint64_t many[126] = { 125, PERF_CONTEXT_KERNEL };
	struct perf_ring ring;
	struct perf_ring_record record;

	begin();
	write_record(PERF_RECORD_SAMPLE, 16 + sizeof(some), 5, some);
	ring = perf_ring_of(&thread, true);
	ok(perf_ring_next(&ring, &record) && record.count == 5 && record.chain_count == 2 &&
		   record.chain[0] == some[2] && record.chain[1] == some[3],
	   "the functions of the kernel, without marks between them");
	for (unsigned i = 2; i < 126; i++)
		many[i] = i;
	for (unsigned i = 0; i < 6; i++)
		write_record(PERF_RECORD_SAMPLE, 16 + sizeof(many), 100 + i, many);
	ring = perf_ring_of(&thread, true);
	ok(perf_ring_next(&ring, &record) && record.chain_count == PERF_RING_CHAIN &&
		   record.chain[PERF_RING_CHAIN - 1] == PERF_RING_CHAIN + 1,
	   "no more of them than there is room for");
	for (unsigned i = 104; i > 101; i--)
		record.chain_count += !perf_ring_next(&ring, &record) || record.count != i;
	ok(record.chain_count == PERF_RING_CHAIN && record.count == 102, "all that are whole");
	ok(!perf_ring_next(&ring, &record), "not the one that is overwritten in part");
}

static void malformed(void)
{
	const uint64_t none[2] = { 0 };
	struct perf_ring_record record;
	struct perf_ring ring;
	unsigned taken = 0;

	begin();
	write_record(PERF_RECORD_LOST, 24, 5, none);
	ring = perf_ring_of(&thread, false);
	ok(!perf_ring_next(&ring, &record), "other kinds of records are not read");
	for (unsigned size = 0; size < 2 * PERF_RING_BYTES; size++) {
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
						    .size = (uint16_t)size };
		uint64_t word;

		begin();
		memcpy(&word, &header, sizeof(word));
		put(0, word);
		ring = perf_ring_of(&thread, true);
		taken += perf_ring_next(&ring, &record);
	}
	ok(taken == (PERF_RING_BYTES - 24) / 8 + 1, "sizes that no record has are refused");
}

int main(void)
{
	struct perf_event_attr attr = { 0 };

	counts();
	chains();
	malformed();
	perf_ring_prepare_chains(&attr);
	ok(attr.write_backward && attr.exclude_callchain_user &&
		   attr.sample_type == (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN),
	   "an event is asked for all that, and not for the program's own stack");
	return tap_done();
}
