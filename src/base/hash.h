/* SPDX-License-Identifier: MIT
 *
 * hash.h - a table from 64-bit keys to 32-bit numbers, mostly indices of an array. Starts as all
 * zeroes. For the tools.
 */
#ifndef DWELL_BASE_HASH_H
#define DWELL_BASE_HASH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* The number of a key before one is assigned. */
#define HASH_NONE UINT32_MAX

struct hash_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

struct hash {
	struct hash_slot *slots; /* at most half in use, so that every search ends soon */
	size_t room;             /* a power of two, or 0 */
	size_t count;
};

/* Returns the slot where a key's search begins. Keys are often addresses with equal lowest bits. */
static inline size_t hash_start(uint64_t key, size_t room)
{
	key ^= key >> 32;
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(key ^ key >> 29) & (room - 1);
}

/* Returns the slot of a key, or the empty one where it would go. */
static inline struct hash_slot *hash_slot(const struct hash *hash, uint64_t key)
{
	size_t at = hash_start(key, hash->room);

	while (hash->slots[at].used && hash->slots[at].key != key)
		at = (at + 1) & (hash->room - 1);
	return &hash->slots[at];
}

/* Returns NULL if the key is not there. Valid until the next hash_place(). */
static inline uint32_t *hash_find(const struct hash *hash, uint64_t key)
{
	struct hash_slot *slot = hash->room ? hash_slot(hash, key) : NULL;

	return slot && slot->used ? &slot->value : NULL;
}

static inline bool hash_grow(struct hash *hash)
{
	struct hash larger = { .room = hash->room ? 2 * hash->room : 64, .count = hash->count };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < hash->room; i++)
		if (hash->slots[i].used)
			*hash_slot(&larger, hash->slots[i].key) = hash->slots[i];
	free(hash->slots);
	*hash = larger;
	return true;
}

/* Returns the number of a key, HASH_NONE if the key is new. NULL: no memory. */
static inline uint32_t *hash_place(struct hash *hash, uint64_t key)
{
	struct hash_slot *slot;

	if (2 * (hash->count + 1) > hash->room && !hash_grow(hash))
		return NULL;
	slot = hash_slot(hash, key);
	if (!slot->used) {
		*slot = (struct hash_slot){ .key = key, .value = HASH_NONE, .used = true };
		hash->count++;
	}
	return &slot->value;
}

static inline void hash_free(struct hash *hash)
{
	free(hash->slots);
	*hash = (struct hash){ 0 };
}

/* Returns a key for bytes; different bytes may share one (FNV-1a). */
static inline uint64_t hash_bytes(uint64_t key, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	key ^= UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < size; i++)
		key = (key ^ at[i]) * UINT64_C(0x100000001b3);
	return key;
}

#endif
