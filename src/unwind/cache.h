/* SPDX-License-Identifier: MIT
 *
 * cache.h - a fixed number of rules by pc.
 *
 * Any number of threads may share a cache, and their handlers may interrupt each other in the
 * middle of it. No access waits: a reader treats an entry that is being written as missing, and
 * does not write it. Entries of another generation do not count.
 */
#ifndef DWELL_UNWIND_CACHE_H
#define DWELL_UNWIND_CACHE_H

#include <stdatomic.h>

#include "unwind/rule.h"

/*
 * head: the generation in the upper half; a number in the lower half that grows with each change,
 * odd while an entry is being changed. Invariant: key and rule belong together if head was the same
 * even number before and after they were read.
 */
struct cache_entry {
	_Atomic uint64_t head;
	_Atomic uint64_t key;
	_Atomic uint64_t rule[2];
};

/* A key goes into either of two neighbours, which share a cache line. Keys are scattered over the
 * memory, so that each touches a new page at first: while there are few, a part of the memory is
 * used. When that grows, earlier entries are not found any more and must be put again. */
struct cache {
	struct cache_entry *entries;
	_Atomic unsigned shift; /* from a scrambled key to the number of a pair */
	unsigned whole;         /* shift when all of the memory is used */
	_Atomic uint32_t left;  /* approximate number of entries to take before that */
};

union cache_words {
	struct rule rule;
	uint64_t words[2];
};

/* Initialises a cache in zeroed memory, aligned to 64 bytes; uses the largest power of two that
 * fits. -EINVAL: too little. */
int cache_init(struct cache *cache, void *memory, size_t size);

void cache_put(struct cache *cache, uint32_t generation, uint64_t key, const struct rule *rule);

/* Returns a key for the pc, different for an interrupted one and a return address. Never 0. */
static inline uint64_t cache_key(const struct registers *registers)
{
	return (uint64_t)registers->value[ARCH_FRAME_PC] << 1 | registers->exact;
}

static inline struct cache_entry *cache_pair(const struct cache *cache, uint64_t key)
{
	unsigned shift = atomic_load_explicit(&cache->shift, memory_order_relaxed);

	return cache->entries + (key * UINT64_C(0x9e3779b97f4a7c15) >> shift) * 2;
}

static inline bool cache_read(struct cache_entry *entry, uint32_t generation, uint64_t key,
			      struct rule *rule)
{
	uint64_t head = atomic_load_explicit(&entry->head, memory_order_acquire);
	union cache_words words;

	if (atomic_load_explicit(&entry->key, memory_order_relaxed) != key ||
	    head >> 32 != generation || head & 1)
		return false;
	words.words[0] = atomic_load_explicit(&entry->rule[0], memory_order_relaxed);
	words.words[1] = atomic_load_explicit(&entry->rule[1], memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	*rule = words.rule;
	return atomic_load_explicit(&entry->head, memory_order_relaxed) == head;
}

static inline bool cache_get(const struct cache *cache, uint32_t generation, uint64_t key,
			     struct rule *rule)
{
	struct cache_entry *pair = cache_pair(cache, key);

	return cache_read(&pair[0], generation, key, rule) ||
	       cache_read(&pair[1], generation, key, rule);
}

#endif
