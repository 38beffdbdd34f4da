/* SPDX-License-Identifier: MIT */
#include "unwind/cache.h"

#include <errno.h>

#define FIRST_BITS 11 /* of the number of entries: 64 KB */

int cache_init(struct cache *cache, void *memory, size_t size)
{
	unsigned bits = 0, first;

	while (size >= (sizeof(struct cache_entry) << (bits + 1)) && bits < 30)
		bits++;
	if (bits < 2)
		return -EINVAL;
	first = bits < FIRST_BITS ? bits : FIRST_BITS;
	cache->entries = memory;
	cache->whole = 64 - (bits - 1);
	atomic_init(&cache->shift, 64 - (first - 1));
	atomic_init(&cache->left, UINT32_C(1) << (first - 1));
	return 0;
}

/* Takes an entry that was free before. Several threads may find that it is the last one. */
static void take_free(struct cache *cache)
{
	uint32_t left = atomic_load_explicit(&cache->left, memory_order_relaxed);

	if (left)
		atomic_store_explicit(&cache->left, left - 1, memory_order_relaxed);
	else
		atomic_store_explicit(&cache->shift, cache->whole, memory_order_relaxed);
}

/* Returns the entry that is out of date, or else the one that the key selects. */
static struct cache_entry *victim(const struct cache *cache, uint32_t generation, uint64_t key)
{
	struct cache_entry *pair = cache_pair(cache, key);

	for (int i = 0; i < 2; i++) {
		uint64_t head = atomic_load_explicit(&pair[i].head, memory_order_relaxed);

		if (head >> 32 != generation || head == 0)
			return &pair[i];
	}
	return &pair[(key >> 1 ^ key >> 7) & 1];
}

void cache_put(struct cache *cache, uint32_t generation, uint64_t key, const struct rule *rule)
{
	struct cache_entry *entry = victim(cache, generation, key);
	uint64_t head = atomic_load_explicit(&entry->head, memory_order_relaxed);
	uint64_t odd = (uint64_t)generation << 32 | (uint32_t)(head + 1);
	const union cache_words words = { .rule = *rule };

	if (head & 1 ||
	    !atomic_compare_exchange_strong_explicit(&entry->head, &head, odd, memory_order_acquire,
						     memory_order_relaxed))
		return;
	if (!head)
		take_free(cache);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&entry->key, key, memory_order_relaxed);
	atomic_store_explicit(&entry->rule[0], words.words[0], memory_order_relaxed);
	atomic_store_explicit(&entry->rule[1], words.words[1], memory_order_relaxed);
	odd = (uint64_t)generation << 32 | (uint32_t)(odd + 1);
	atomic_store_explicit(&entry->head, odd, memory_order_release);
}
