/* SPDX-License-Identifier: MIT
 *
 * arena.h - the slots and stubs of all threads: see arch/calls_layout.h.
 */
#ifndef DWELL_RUNTIME_CALLS_ARENA_H
#define DWELL_RUNTIME_CALLS_ARENA_H

#include "calls.h"

/* Reserves memory for slots; call once, before all else. Returns 0 or -errno. */
int arena_reserve(void);

/* Maps pages of this library's code, which are in its file, once more. Needs no relocation. */
bool arena_map_again(const void *code, void *place, size_t bytes);

/*
 * The slots of a thread are numbered across all of its chunks: the first two are equally large,
 * each of the others is as large as all before it.
 */
#define ARENA_FIRST_CHUNK 64 /* slots: a page of them */

/* Returns the number of a chunk's first slot, which is never taken. */
static inline uint32_t arena_chunk_begin(unsigned chunk)
{
	return chunk ? (uint32_t)ARENA_FIRST_CHUNK << (chunk - 1) : 0;
}

/* Returns the chunk that contains the slot with that number. */
static inline unsigned arena_chunk_of(uint32_t number)
{
	return number < ARENA_FIRST_CHUNK
		       ? 0
		       : 32 - (unsigned)__builtin_clz(number / ARENA_FIRST_CHUNK);
}

/* Makes the thread's chunk of that number. False: there are no slots left. */
bool arena_chunk(struct calls_thread *thread, struct chunk *chunk, unsigned number);

/* Returns the way out of a slot according to the current state. */
void (*arena_way_out(const struct slot *slot))(void);

/* Sets the way out of every slot according to the current state. No slot is in use. */
void arena_set_ways_out(void);

static inline uintptr_t arena_stub(const struct slot *slot)
{
	return (uintptr_t)slot - ARENA_BYTES;
}

/* Returns the return address of the function that the slot's stub calls. */
static inline uintptr_t arena_stub_return(const struct slot *slot)
{
	return arena_stub(slot) + ARCH_STUB_CALL_BYTES;
}

/* Returns the slot of the stub that contains pc; NULL: none does. */
static inline struct slot *arena_slot_of(uintptr_t pc)
{
	uintptr_t offset = pc - (uintptr_t)arch_stubs;

	return offset < ARENA_BYTES ? &calls_slots[offset / SLOT_BYTES] : NULL;
}

#endif
