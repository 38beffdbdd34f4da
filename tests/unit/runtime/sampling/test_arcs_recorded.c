/* SPDX-License-Identifier: MIT
 *
 * test_arcs_recorded.c - arcs are in the recording at once, and arcs after an unmapping in an item
 * of their own.
 */
#include "runtime/sampling/arcs_recorded.h"

#include "../calls/wrapped.h"
#include "runtime/gmon/arcs.h"
#include "runtime/process/instant.h"

static struct {
	int items;
	uint64_t count, first, last; /* calls of the arc in question; times of items with it */
} found;

static void find(uint64_t from, uint64_t self)
{
	const struct record_segment *segment = NULL;
	size_t size;
	const char *bytes = recording_map(&size);

	memset(&found, 0, sizeof(found));
	while ((segment = recording_next(bytes, size, segment)))
		for (const struct record_item *item = NULL;
		     segment->kind == RECORD_NAMES && (item = item_next(segment, item));) {
			const struct record_arcs *arcs = (const struct record_arcs *)item;

			for (uint32_t i = 0; item->kind == RECORD_ARCS && i < arcs->count; i++) {
				if (arcs->arcs[i].from != from || arcs->arcs[i].self != self)
					continue;
				found.items++;
				found.count += arcs->arcs[i].count;
				found.first = found.items == 1 ? arcs->time : found.first;
				found.last = arcs->time;
			}
		}
}

int main(void)
{
	static struct record_process process;
	struct entry entry = { .process = &process, .segment = 2 * RECORD_GRAIN };
	uint64_t then;

	wrapped_create(0, RECORD_CLOCK_NS);
	instant_init(RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
	room_hold();
	unlink(wrapped.path);
	arcs_start();
	arcs_count(0x1000, 0x2000);
	ok(arcs_lost == 1, "without an entry, calls are lost, and that is counted");
	arcs_recorded_attach(&entry, ~SYS_SIGBIT(SIGBUS));
	for (int i = 0; i < 3; i++)
		arcs_count(0x1000, 0x2000);
	find(0x1000, 0x2000);
	ok(found.items == 1 && found.count == 3 && process.lost_calls == 0,
	   "calls are there at once");
	for (uintptr_t i = 0; i < 5000; i++)
		arcs_count(0x100000 + i, 0x2000);
	find(0x100000 + 4999, 0x2000);
	ok(found.items == 1 && found.count == 1, "as many as there are");
	then = instant_now();
	arcs_recorded_unmapped(0x2000, 0x3000);
	arcs_count(0x1000, 0x2000);
	find(0x1000, 0x2000);
	ok(found.items == 2 && found.count == 4 && found.first < then && found.last >= then,
	   "code mapped after something was unmapped has an item of its own, with its time");
	return tap_done();
}
