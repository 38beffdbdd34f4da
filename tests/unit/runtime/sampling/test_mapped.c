/* SPDX-License-Identifier: MIT
 *
 * test_mapped.c - executable mappings of the process are recorded when they are noticed, with their
 * build-id, and so is their end.
 */
#include "runtime/sampling/mapped.h"

#include <dlfcn.h>

#include "runtime/process/instant.h"
#include "../calls/wrapped.h"

#define CODE_BYTES 4096

static struct room names = { .kind = RECORD_NAMES, .owner = 2 * RECORD_GRAIN };

/* The items of an address, in the order of writing; the last MAP and UNMAP. */
static struct {
	int maps, unmaps;
	const struct record_map *map;
	const struct record_unmap *unmap;
} found;

static void find(uintptr_t address)
{
	const struct record_segment *segment = NULL;
	size_t size;
	const char *bytes = recording_map(&size);

	memset(&found, 0, sizeof(found));
	while ((segment = recording_next(bytes, size, segment)))
		for (const struct record_item *item = NULL;
		     segment->kind == RECORD_NAMES && (item = item_next(segment, item));) {
			const struct record_map *map = (const struct record_map *)item;
			const struct record_unmap *unmap = (const struct record_unmap *)item;

			if (item->kind == RECORD_MAP && address >= map->start &&
			    address < map->end) {
				found.maps++;
				found.map = map;
			}
			if (item->kind == RECORD_UNMAP && address >= unmap->start &&
			    address < unmap->end) {
				found.unmaps++;
				found.unmap = unmap;
			}
		}
}

static uint64_t now(void)
{
	return instant_now();
}

static void at_the_start(void)
{
	const struct eh_table *table;

	find((uintptr_t)at_the_start);
	ok(found.maps == 1 && found.map->time == 0 && strstr(found.map->path, "test_record_mapped"),
	   "the program is there from the beginning");
	ok(found.maps == 1 && found.map->build_id_size == 20, "with its build-id");
	find((uintptr_t)dlsym(RTLD_DEFAULT, "getpid"));
	ok(found.maps == 1 && strstr(found.map->path, "libc"), "so is libc");
	ok(mapped_knows((uintptr_t)at_the_start) && !mapped_knows(4096),
	   "both are known, others not");
	table = objects_enter(mapped_objects());
	ok(table_find(table, (uintptr_t)at_the_start) != NULL, "and walks have a table of them");
	objects_leave(mapped_objects(), table);
	mapped_renew();
	find((uintptr_t)at_the_start);
	ok(found.maps == 1 && found.unmaps == 0, "another look that finds the same writes nothing");
}

static void *map_code(void *where)
{
	void *code = mmap(where, CODE_BYTES, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);

	if (code == MAP_FAILED)
		bail_out("there is no memory for code");
	return code;
}

/* Returns the name of the mapping in /proc/self/maps. An emulator may place it at the program
 * break, and then takes it for the heap. */
static const char *name_of(const void *code)
{
	return code == sbrk(0) ? "[heap]" : "[anon]";
}

static void come_and_go(void)
{
	uint64_t before = now();
	void *code = map_code(NULL);
	uintptr_t address = (uintptr_t)code + 10;

	find(address);
	ok(found.maps == 0 && !mapped_knows(address), "later mappings are unknown");
	ok(mapped_learn() && mapped_knows(address), "until the next look");
	find(address);
	ok(found.maps == 1 && strcmp(found.map->path, name_of(code)) == 0 &&
		   found.map->time >= before && found.map->time <= now(),
	   "then it is written down, with the time");
	munmap(code, CODE_BYTES);
	before = now();
	mapped_outdated();
	mapped_renew_if_outdated();
	find(address);
	ok(found.unmaps == 1 && found.unmap->time >= before && !mapped_knows(address),
	   "an unmapping is recorded as well, and the code unknown again");
	map_code(code);
	mapped_renew();
	find(address);
	ok(found.maps == 2 && found.map->time >= found.unmap->time && mapped_knows(address),
	   "and may come back");
	munmap(code, CODE_BYTES);
	mapped_renew_if_outdated();
	ok(mapped_knows(address), "without a hint that something was unmapped, there is no look");
	mapped_renew();
}

/* Returns how many misses it takes until new code is known. */
static int misses_until_known(void)
{
	void *code = map_code(NULL);
	int misses = 0;

	while (!mapped_knows((uintptr_t)code) && misses < 100000) {
		mapped_learn();
		misses++;
	}
	return misses;
}

/* Looking costs time: after a fruitless look it is not repeated for every miss. */
static void patience(void)
{
	int learned = 0, misses;

	for (int i = 0; i < 10000; i++)
		learned += mapped_learn();
	ok(!learned, "nothing is learned where nothing is new");
	misses = misses_until_known();
	ok(misses > 100 && misses < 3000, "after 10,000 misses in vain it takes %d until it looks",
	   misses);
	misses = misses_until_known();
	ok(misses <= 2, "and when that was of use, %d", misses);
}

int main(void)
{
	wrapped_create(0, RECORD_CLOCK_NS);
	instant_init(RECORD_CLOCK_NS);
	if (room_attach(wrapped.path) || mapped_init())
		bail_out("the recording cannot be opened");
	room_hold();
	unlink(wrapped.path);
	mapped_attach(&names, true);
	at_the_start();
	come_and_go();
	patience();
	return tap_done();
}
