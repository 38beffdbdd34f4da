/* SPDX-License-Identifier: MIT */
#include "record/stacks.h"

#include <errno.h>

#define PROBES         8 /* entries that a hash may be in, one after another */
#define FIRST_FRAMES   20
#define FRAMES_AT_MOST 640

int stacks_init(struct stacks *stacks, void *memory, size_t size)
{
	unsigned bits = 0;

	while (sizeof(struct stacks_entry) << (bits + 1) <= size)
		bits++;
	if (bits < 4)
		return -EINVAL;
	stacks->entries = memory;
	stacks->shift = 64 - bits;
	atomic_store(&stacks->next, 0);
	return 0;
}

/* ---- which stacks are known ---- */

/* Every bit of both matters for every bit of the answer. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
	hash ^= hash >> 32;
	hash *= UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 29;
}

/* Of the frame and all of its callers, for each frame. Never 0. */
static void hash_all(const struct stack *stack)
{
	uint64_t hash = RECORD_FRAME_LAST(stack->end);

	for (int i = stack->depth - 1; i >= 0; i--) {
		hash = mix(hash, stack->pcs[i] + (i >= stack->certain ? UINT64_C(1) << 63 : 0));
		stack->hashes[i] = hash ? hash : 1;
	}
}

/* The entry that a hash may be in, of the PROBES that follow each other. */
static struct stacks_entry *entry_of(const struct stacks *stacks, uint64_t hash, unsigned probe)
{
	uint64_t mask = UINT64_MAX >> stacks->shift;

	return &stacks->entries[((hash >> stacks->shift) + probe) & mask];
}

static bool find(const struct stacks *stacks, uint64_t hash, uint32_t *number)
{
	for (unsigned i = 0; i < PROBES; i++) {
		struct stacks_entry *entry = entry_of(stacks, hash, i);
		uint64_t its = atomic_load_explicit(&entry->hash, memory_order_relaxed);

		if (its == hash) {
			*number = atomic_load_explicit(&entry->number, memory_order_acquire) - 1;
			return *number != UINT32_MAX;
		}
		if (!its)
			return false;
	}
	return false;
}

/* Afterwards, what is written before this can be seen by all who find it. */
static void add(struct stacks *stacks, uint64_t hash, uint32_t number)
{
	for (unsigned i = 0; i < PROBES; i++) {
		struct stacks_entry *entry = entry_of(stacks, hash, i);
		uint64_t its = 0;

		if (atomic_compare_exchange_strong_explicit(
			    &entry->hash, &its, hash, memory_order_relaxed, memory_order_relaxed)) {
			atomic_store_explicit(&entry->number, number + 1, memory_order_release);
			return;
		}
		if (its == hash)
			return;
	}
}

/* ---- writing frames ---- */

static bool next_item(struct stacks *stacks, struct stacks_writer *writer)
{
	struct record_frames *item;
	uint32_t room = writer->item_room ? writer->item_room : FIRST_FRAMES;
	uint32_t first = atomic_fetch_add_explicit(&stacks->next, room, memory_order_relaxed);

	if (first > RECORD_FRAME_MAX - room) {
		atomic_store_explicit(&stacks->next, RECORD_FRAME_MAX, memory_order_relaxed);
		return false;
	}
	item = room_take(writer->room, sizeof(*item) + room * sizeof(item->frames[0]));
	if (!item)
		return false;
	item->first = first;
	item->room = room;
	room_publish(&item->item, RECORD_FRAMES);
	writer->item = item;
	writer->item_room = room < FRAMES_AT_MOST ? room * 2 : room;
	return true;
}

static bool write_frame(struct stacks *stacks, struct stacks_writer *writer, uint64_t pc,
			bool is_guessed, uint32_t caller, uint32_t *number)
{
	struct record_frames *item = writer->item;

	if (!item || item->count == item->room) {
		if (!next_item(stacks, writer))
			return false;
		item = writer->item;
	}
	item->frames[item->count] = (struct record_frame){
		.caller = caller,
		.pc = { (uint32_t)pc,
			(uint32_t)(pc >> 32) | (is_guessed ? RECORD_FRAME_GUESSED : 0) },
	};
	*number = item->first + item->count;
	__atomic_store_n(&item->count, item->count + 1, __ATOMIC_RELEASE);
	return true;
}

bool stacks_number(struct stacks *stacks, struct stacks_writer *writer, const struct stack *stack,
		   uint32_t *number)
{
	uint32_t caller = RECORD_FRAME_LAST(stack->end);
	int known = 0; /* the first frame from which on all is known */

	hash_all(stack);
	while (known < stack->depth && !find(stacks, stack->hashes[known], &caller))
		known++;
	if (known == stack->depth)
		caller = RECORD_FRAME_LAST(stack->end);
	for (int i = known - 1; i >= 0; i--) {
		if (!write_frame(stacks, writer, stack->pcs[i], i >= stack->certain, caller,
				 &caller))
			return false;
		add(stacks, stack->hashes[i], caller);
	}
	*number = caller;
	return true;
}
