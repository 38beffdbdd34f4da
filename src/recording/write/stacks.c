/* SPDX-License-Identifier: MIT */
#include "stacks.h"

#include <errno.h>

#define PROBES         4  /* entries of a level for a hash: a cache line of them */
#define LAST_PROBES    16 /* in the last level, which has no next one */
#define FIRST_BITS     9  /* of the first level: two pages */
#define BITS_A_LEVEL   3  /* by which the next one is larger */
#define FIRST_FRAMES   20
#define FRAMES_AT_MOST 640

int stacks_init(struct stacks *stacks, void *memory, size_t size)
{
	size_t count = size / sizeof(struct stacks_entry), used = 0;
	unsigned bits = FIRST_BITS;

	if (count < (size_t)1 << FIRST_BITS)
		return -EINVAL;
	stacks->entries = memory;
	stacks->levels = 0;
	while (used + ((size_t)1 << bits) <= count && stacks->levels < STACKS_LEVELS) {
		used += (size_t)1 << bits;
		bits += BITS_A_LEVEL;
		stacks->levels++;
	}
	atomic_store(&stacks->next, 0);
	return 0;
}

/* ---- known stacks ---- */

/* Mixes: every bit of both affects every bit of the result. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
	hash ^= hash >> 32;
	hash *= UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 29;
}

/* Hashes each frame with all of its callers. Never 0. */
static void hash_all(const struct stack *stack)
{
	uint64_t hash = RECORD_FRAME_LAST(stack->end);

	for (int i = stack->depth - 1; i >= 0; i--) {
		hash = mix(hash, stack->pcs[i] + (i >= stack->certain ? UINT64_C(1) << 63 : 0));
		stack->hashes[i] = hash ? hash : 1;
	}
}

/* Position of a hash in the levels. */
struct place {
	struct stacks_entry *entries; /* of the level */
	unsigned bits, level;
	unsigned probes; /* entries in it for the hash */
};

static unsigned probes_of(const struct stacks *stacks, unsigned level)
{
	return level + 1 < stacks->levels ? PROBES : LAST_PROBES;
}

static struct place first_place(const struct stacks *stacks)
{
	return (struct place){ .entries = stacks->entries,
			       .bits = FIRST_BITS,
			       .probes = probes_of(stacks, 0) };
}

static bool next_place(const struct stacks *stacks, struct place *place)
{
	place->entries += (size_t)1 << place->bits;
	place->bits += BITS_A_LEVEL;
	place->probes = probes_of(stacks, ++place->level);
	return place->level < stacks->levels;
}

/* Returns the first of them. */
static struct stacks_entry *entry_of(const struct place *place, uint64_t hash)
{
	return &place->entries[(hash >> (64 - place->bits)) & ~(uint64_t)(place->probes - 1)];
}

static bool find(const struct stacks *stacks, uint64_t hash, uint32_t *number)
{
	struct place place = first_place(stacks);

	do {
		struct stacks_entry *entry = entry_of(&place, hash);

		for (unsigned i = 0; i < place.probes; i++) {
			uint64_t its = atomic_load_explicit(&entry[i].hash, memory_order_relaxed);

			if (its == hash) {
				*number = atomic_load_explicit(&entry[i].number,
							       memory_order_acquire) -
					  1;
				return *number != UINT32_MAX;
			}
			if (!its)
				return false;
		}
	} while (next_place(stacks, &place));
	return false;
}

/* Adds an entry; everything written before is visible to all that find it. */
static void add(struct stacks *stacks, uint64_t hash, uint32_t number)
{
	struct place place = first_place(stacks);

	do {
		struct stacks_entry *entry = entry_of(&place, hash);

		for (unsigned i = 0; i < place.probes; i++) {
			uint64_t its = 0;

			if (atomic_compare_exchange_strong_explicit(&entry[i].hash, &its, hash,
								    memory_order_relaxed,
								    memory_order_relaxed)) {
				atomic_store_explicit(&entry[i].number, number + 1,
						      memory_order_release);
				return;
			}
			if (its == hash)
				return;
		}
	} while (next_place(stacks, &place));
}

/* ---- writing frames ---- */

static bool next_item(struct stacks *stacks, struct stacks_writer *writer)
{
	struct record_frames *item;
	uint32_t wanted = writer->item_room ? writer->item_room : FIRST_FRAMES;
	uint32_t room = room_fitting(writer->room, sizeof(*item), sizeof(item->frames[0]), wanted,
				     FIRST_FRAMES);
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
	writer->item_room = wanted < FRAMES_AT_MOST ? wanted * 2 : wanted;
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
	int known = 0; /* the first frame from which on all are known */

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

bool stacks_push(struct stacks *stacks, struct stacks_writer *writer, uint64_t pc,
		 struct stacks_tip *tip)
{
	uint64_t hash = mix(tip->hash, pc);
	uint32_t number;

	hash = hash ? hash : 1;
	if (!find(stacks, hash, &number)) {
		if (!write_frame(stacks, writer, pc, false, tip->number, &number))
			return false;
		add(stacks, hash, number);
	}
	*tip = (struct stacks_tip){ hash, number };
	return true;
}
