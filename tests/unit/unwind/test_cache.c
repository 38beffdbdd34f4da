/* SPDX-License-Identifier: MIT */
#include "unwind/cache.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "../random64.h"
#include "tap.h"

#define KEYS 5000

static char memory[64 * 1024] __attribute__((aligned(64)));
static struct cache cache;

/* Makes a rule that contains its key, in both of its words. */
static struct rule rule_of(uint64_t key)
{
	struct rule rule = { .kind = RULE_PROGRAM, .cfa_offset = (int32_t)(key * 7) };

	rule.address = key * UINT64_C(0x100000001);
	return rule;
}

static bool is_of(const struct rule *rule, uint64_t key)
{
	struct rule expected = rule_of(key);

	return memcmp(rule, &expected, sizeof(expected)) == 0;
}

static void one_thread(void)
{
	struct rule rule;
	long found = 0, wrong = 0;

	ok(cache_init(&cache, memory, 60) == -EINVAL, "a cache needs room");
	ok(!cache_init(&cache, memory, sizeof(memory)), "and has it");
	ok(!cache_get(&cache, 0, 1, &rule) && !cache_get(&cache, 1, 1, &rule), "it is empty");
	for (uint64_t key = 1; key <= 500; key++) {
		rule = rule_of(key);
		cache_put(&cache, 1, key, &rule);
	}
	for (uint64_t key = 1; key <= 500; key++)
		if (cache_get(&cache, 1, key, &rule)) {
			found++;
			wrong += !is_of(&rule, key);
		}
	ok(found > 400 && !wrong, "of 500 in room for 2048 %ld are found, none wrong", found);
	found = 0;
	for (uint64_t key = 1; key <= 500; key++)
		found += cache_get(&cache, 2, key, &rule);
	ok(!found, "none in another generation");
}

#define FEW 64

/* A full cache evicts entries of older generations first. */
static void generations(void)
{
	static struct cache_entry few[FEW] __attribute__((aligned(64)));
	uint64_t keys[FEW];
	int in_pair[FEW / 2] = { 0 }, count = 0, found = 0;
	struct cache small;
	struct rule rule;

	if (cache_init(&small, few, sizeof(few)))
		bail_out("a small cache is refused");
	for (uint64_t key = 1; key <= KEYS; key++) {
		rule = rule_of(key);
		cache_put(&small, 1, key, &rule);
	}
	/* Two for each pair. */
	for (uint64_t key = KEYS + 1; count < FEW; key++) {
		size_t pair = (size_t)(cache_pair(&small, key) - few) / 2;

		if (in_pair[pair] == 2)
			continue;
		in_pair[pair]++;
		keys[count++] = key;
		rule = rule_of(key);
		cache_put(&small, 2, key, &rule);
	}
	for (int i = 0; i < count; i++)
		found += cache_get(&small, 2, keys[i], &rule) && is_of(&rule, keys[i]);
	ok(found == FEW, "entries of an older generation are evicted first: %d of %d are new",
	   found, FEW);
}

/* Counts how many of the keys are there; puts those that are missing. */
static long look_for(struct cache *in, uint64_t keys)
{
	struct rule rule;
	long found = 0;

	for (uint64_t key = 1; key <= keys; key++)
		if (cache_get(in, 1, key, &rule)) {
			found += is_of(&rule, key);
		} else {
			rule = rule_of(key);
			cache_put(in, 1, key, &rule);
		}
	return found;
}

static void growth(void)
{
	static char large[1 << 20] __attribute__((aligned(64)));
	struct cache growing;
	size_t used = 0;
	long found;

	if (cache_init(&growing, large, sizeof(large)))
		bail_out("a large cache is refused");
	look_for(&growing, 500);
	for (size_t i = 0; i < sizeof(large); i += 4096)
		used += memcmp(large + i, (char[4096]){ 0 }, 4096) != 0;
	ok(used && used <= sizeof(memory) / 4096, "500 are in %zu pages of 256", used);
	look_for(&growing, KEYS);
	look_for(&growing, KEYS);
	found = look_for(&growing, KEYS);
	ok(found > KEYS * 9 / 10, "of 5000 in room for 32768 %ld are found again", found);
}

static void being_written(void)
{
	struct rule rule = rule_of(77);
	struct cache_entry *pair = cache_pair(&cache, 77);
	uint64_t heads[2];

	cache_put(&cache, 3, 77, &rule);
	ok(cache_get(&cache, 3, 77, &rule), "an entry is there");
	for (int i = 0; i < 2; i++) {
		heads[i] = atomic_load(&pair[i].head);
		atomic_store(&pair[i].head, heads[i] | 1);
	}
	ok(!cache_get(&cache, 3, 77, &rule), "not while an interrupted writer writes it");
	rule = rule_of(78);
	cache_put(&cache, 3, 77, &rule);
	for (int i = 0; i < 2; i++)
		atomic_store(&pair[i].head, heads[i]);
	ok(cache_get(&cache, 3, 77, &rule) && is_of(&rule, 77), "nor can it be written then");
}

static _Atomic long wrong, hits;

static void *use(void *seed)
{
	uint64_t state = (uintptr_t)seed;

	for (int i = 0; i < 1000000; i++) {
		uint64_t key = random64_below(&state, KEYS) + 1;
		uint32_t generation = (uint32_t)(i / 100000);
		struct rule rule;

		if (cache_get(&cache, generation, key, &rule)) {
			atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
			if (!is_of(&rule, key))
				atomic_fetch_add(&wrong, 1);
		} else {
			rule = rule_of(key);
			cache_put(&cache, generation, key, &rule);
		}
	}
	return NULL;
}

static void many_threads(void)
{
	pthread_t threads[4];

	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, use, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ok(hits > 1000 && !wrong, "%ld hits of four threads, none wrong", (long)hits);
}

int main(void)
{
	one_thread();
	generations();
	growth();
	being_written();
	many_threads();
	return tap_done();
}
