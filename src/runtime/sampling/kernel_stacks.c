/* SPDX-License-Identifier: MIT */
#include "kernel_stacks.h"

/* Returns the count up to which the ring is known. A new event counts from 0. */
static uint64_t count_before(const struct writer *writer, const struct thread *thread)
{
	return writer->ring_page == thread->perf_page ? writer->ring_count : 0;
}

void kernel_stacks_done(struct writer *writer, const struct thread *thread)
{
	struct perf_ring ring = perf_ring_of(thread, true);

	writer->ring_count =
		perf_ring_next(&ring, &writer->ring_record) ? writer->ring_record.count : 0;
	writer->ring_page = thread->perf_page;
}

/* Numbers the stack of a record: the program's, and above it the kernel's. */
static bool number(struct stacks *stacks, struct writer *writer,
		   const struct perf_ring_record *record, uint32_t *frame)
{
	struct stacks_tip tip = { writer->last_hash, writer->last };

	for (uint32_t i = record->chain_count; i-- > 0;) {
		uint64_t pc = record->chain[i] & ~RECORD_KERNEL_BIT;

		if (pc >= RECORD_KERNEL_START && pc < RECORD_KERNEL_END &&
		    !stacks_push(stacks, &writer->stacks, pc, &tip))
			return false;
	}
	*frame = tip.number;
	return true;
}

/* Counts the records of this tick that are still in the ring. */
static uint64_t count_new(struct writer *writer, const struct thread *thread, uint64_t before)
{
	struct perf_ring ring = perf_ring_of(thread, true);
	uint64_t count = 0;

	while (perf_ring_next(&ring, &writer->ring_record) && writer->ring_record.count > before)
		count++;
	return count;
}

bool kernel_stacks_write(struct stacks *stacks, struct writer *writer, const struct thread *thread,
			 uint64_t ns, uint64_t time)
{
	uint64_t before = count_before(writer, thread);
	uint64_t left = count_new(writer, thread, before);
	struct perf_ring ring = perf_ring_of(thread, true);
	uint32_t frame;

	if (!left)
		return samples_add_ns(&writer->samples, writer->last, ns, time);
	for (; left && perf_ring_next(&ring, &writer->ring_record); left--) {
		uint64_t part = ns / left;

		if (!number(stacks, writer, &writer->ring_record, &frame) ||
		    !samples_add_ns(&writer->samples, frame, part, time))
			return false;
		ns -= part;
	}
	return true;
}
