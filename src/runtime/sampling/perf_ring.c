/* SPDX-License-Identifier: MIT */
#include "perf_ring.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sampler/perf_event.h"

_Static_assert((PERF_RING_BYTES & (PERF_RING_BYTES - 1)) == 0, "places wrap around by a mask");

void perf_ring_prepare(struct perf_event_attr *attr)
{
	attr->write_backward = 1;
	attr->sample_type = PERF_SAMPLE_READ;
}

void perf_ring_prepare_chains(struct perf_event_attr *attr)
{
	perf_ring_prepare(attr);
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_user = 1;
	attr->sample_max_stack = PERF_RING_CHAIN;
}

struct perf_ring perf_ring_of(const struct thread *thread, bool has_chains)
{
	const struct perf_event_mmap_page *page = thread->perf_page;
	struct perf_ring ring = { .has_chains = has_chains };

	if (page) {
		ring.bytes = (const char *)page + PERF_EVENT_PAGE_BYTES;
		ring.at = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
		ring.end = ring.at + PERF_RING_BYTES;
	}
	return ring;
}

/* Reads a word. Records are multiples of eight bytes long, so that no word is in two parts. */
static uint64_t word_at(const struct perf_ring *ring, uint64_t at)
{
	uint64_t word;

	memcpy(&word, ring->bytes + (at & (PERF_RING_BYTES - 1)), sizeof(word));
	return word;
}

/* Reads the addresses of the kernel in the rest of a record. Marks of contexts stand among them. */
static void read_chain(const struct perf_ring *ring, uint64_t at, size_t bytes,
		       struct perf_ring_record *record)
{
	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t address = word_at(ring, at + i);

		if (address < PERF_CONTEXT_MAX && record->chain_count < PERF_RING_CHAIN)
			record->chain[record->chain_count++] = address;
	}
}

bool perf_ring_next(struct perf_ring *ring, struct perf_ring_record *record)
{
	struct perf_event_header header;
	const size_t words = ring->has_chains ? 2 : 1; /* the count, and the length of the chain */
	size_t least = sizeof(header) + words * sizeof(uint64_t);
	uint64_t word;

	if (!ring->bytes || ring->end - ring->at < least)
		return false;
	word = word_at(ring, ring->at);
	memcpy(&header, &word, sizeof(header));
	/* The oldest one may be overwritten in part; a new ring is all zeroes. */
	if (header.type != PERF_RECORD_SAMPLE || header.size < least || header.size % 8 ||
	    header.size > ring->end - ring->at)
		return false;
	record->count = word_at(ring, ring->at + sizeof(header));
	record->chain_count = 0;
	if (ring->has_chains)
		read_chain(ring, ring->at + least, header.size - least, record);
	ring->at += header.size;
	return true;
}
