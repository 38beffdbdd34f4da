/* SPDX-License-Identifier: MIT */
#include "unwind/objects.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "../random64.h"
#include "tap.h"

static char memory[64 * 1024] __attribute__((aligned(64)));
static struct objects objects;

static int add(struct eh_table *table, uintptr_t start, uintptr_t end)
{
	struct mapping mapping = { .start = start, .end = end, .direct_end = start };

	return table_put(table, &mapping);
}

static void lookups(void)
{
	const struct eh_table *table;
	struct eh_table *building;

	ok(objects_init(&objects, memory, 100) == -EINVAL, "two tables need room");
	ok(!objects_init(&objects, memory, sizeof(memory)), "and have it");
	table = objects_enter(&objects);
	ok(!table_find(table, 0) && !table_find(table, 4096), "an empty table has nothing");
	objects_leave(&objects, table);
	building = objects_begin(&objects);
	add(building, 3000, 4000);
	add(building, 1000, 2000);
	add(building, 2000, 2500);
	add(building, 3500, 3600);
	add(building, 5000, 5000);
	objects_publish(&objects);
	table = objects_enter(&objects);
	ok(table->count == 3 && table->left_out == 1, "an entry that overlaps another is left out");
	ok(!table_find(table, 999) && table_find(table, 1000)->start == 1000, "a first byte");
	ok(table_find(table, 1999)->start == 1000 && table_find(table, 2000)->start == 2000,
	   "a last one, and the next");
	ok(!table_find(table, 2500) && !table_find(table, 2999), "a hole");
	ok(table_find(table, 3999) && !table_find(table, 4000), "the end");
	ok(!table_find(table, UINTPTR_MAX), "and behind it");
	objects_leave(&objects, table);
}

/* Whatever the order and number of entries, which decide how they are moved while they are sorted.
 */
static void part_again(void)
{
	bool whole = true;

	for (uintptr_t others = 0; others < 40; others++)
		for (int part_first = 0; part_first < 2; part_first++) {
			struct eh_table *building = objects_begin(&objects);
			const struct eh_table *table;

			for (uintptr_t i = 0; i < others; i++)
				add(building, 9000 - 10 * i, 9005 - 10 * i);
			if (part_first)
				add(building, 1000, 1100);
			table_put(building,
				  &(struct mapping){ .start = 1000, .end = 2000, .header = 1 });
			if (!part_first)
				add(building, 1000, 1100);
			objects_publish(&objects);
			table = objects_enter(&objects);
			whole = whole && table_find(table, 1050)->header == 1 &&
				table_find(table, 1500) && table->left_out == 1;
			objects_leave(&objects, table);
		}
	ok(whole, "a segment that has rules stays, and a part of it that is mapped again does not");
}

static void many(void)
{
	struct eh_table *building = objects_begin(&objects);
	const struct eh_table *table;
	uint64_t state = 1;
	bool sorted = true, found = true;

	for (uintptr_t start; building->count < building->capacity;) {
		start = (uintptr_t)random64_below(&state, 1U << 30) * 64;
		add(building, start, start + 64);
	}
	ok(add(building, 1, 2) == -ENOSPC && building->left_out == 1, "a full table says so");
	objects_publish(&objects);
	table = objects_enter(&objects);
	for (uint32_t i = 0; i < table->count; i++) {
		sorted = sorted && (!i || table->mappings[i - 1].end <= table->mappings[i].start);
		found = found &&
			table_find(table, table->mappings[i].start + 63) == &table->mappings[i];
	}
	ok(sorted && found, "%u mappings are sorted, and found", table->count);
	objects_leave(&objects, table);
}

static void turns(void)
{
	const struct eh_table *old = objects_enter(&objects), *now;
	uint32_t generation = old->generation, count = old->count;
	struct eh_table *building = objects_begin(&objects);

	add(building, 10, 20);
	objects_publish(&objects);
	now = objects_enter(&objects);
	ok(now != old && now->generation == generation + 1 && now->count == 1, "a new table");
	ok(old->count == count, "a walk by the old one still has it");
	ok(!objects_begin(&objects), "so there is none to build in");
	objects_leave(&objects, old);
	building = objects_begin(&objects);
	ok(building == old, "until the walk ends");
	objects_publish(&objects);
	ok(!objects_begin(&objects), "and again");
	objects_after_fork(&objects);
	ok(objects_begin(&objects), "a child has no walks of others");
}

static _Atomic bool stop;
static _Atomic long torn, walks;

/* Each table has mappings of one size only. */
static void *walk(void *unused)
{
	while (!atomic_load(&stop)) {
		const struct eh_table *table = objects_enter(&objects);
		uintptr_t size = table->mappings[0].end - table->mappings[0].start;

		for (uint32_t i = 0; i < table->count; i++)
			if (table->mappings[i].end - table->mappings[i].start != size ||
			    table->count != size)
				atomic_fetch_add(&torn, 1);
		objects_leave(&objects, table);
		atomic_fetch_add(&walks, 1);
	}
	return unused;
}

static void at_once(void)
{
	pthread_t threads[2];
	int published = 0;

	objects_init(&objects, memory, sizeof(memory));
	for (uint32_t round = 0; round < 2; round++) {
		struct eh_table *table = objects_begin(&objects);

		for (uintptr_t i = 0; i < 50; i++)
			add(table, i * 1000, i * 1000 + 50);
		objects_publish(&objects);
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, walk, NULL);
	while (published < 2000 || atomic_load(&walks) < 1000) {
		uintptr_t size = (uintptr_t)published % 100 + 1;
		struct eh_table *table = objects_begin(&objects);

		if (!table) {
			sched_yield();
			continue;
		}
		for (uintptr_t i = 0; i < size; i++)
			add(table, i * 1000, i * 1000 + size);
		objects_publish(&objects);
		published++;
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	ok(!atomic_load(&torn), "%ld walks during %d publications saw whole tables",
	   atomic_load(&walks), published);
}

int main(void)
{
	lookups();
	part_again();
	many();
	turns();
	at_once();
	return tap_done();
}
