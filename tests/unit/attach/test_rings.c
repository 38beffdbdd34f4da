/* SPDX-License-Identifier: MIT
 *
 * test_rings.c - events of several rings in the order of time, also if they wrap around the end of
 * a ring, and if a ring is invalid.
 */
#include <stdlib.h>
#include <string.h>

#include "attach/rings.h"
#include "tap.h"

#define RINGS 2
#define SIZE  1024

/* An event with nothing but its time. */
struct small {
	struct perf_event_header header;
	uint64_t number, more;
	uint32_t pid, tid;
	uint64_t time, id;
};

static struct perf_event_mmap_page pages[RINGS];
static char data[RINGS][SIZE];
static char scratch[RINGS][65536];
static struct ring ring_array[RINGS];

static struct rings begin(uint64_t at)
{
	memset(pages, 0, sizeof(pages));
	for (int i = 0; i < RINGS; i++) {
		pages[i].data_head = pages[i].data_tail = at;
		ring_array[i] = (struct ring){ .page = &pages[i],
					       .data = data[i],
					       .size = SIZE,
					       .tail = at,
					       .head = at,
					       .scratch = scratch[i],
					       .fd = -1 };
	}
	return (struct rings){ .rings = ring_array, .count = RINGS };
}

static void write_bytes(int ring, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		data[ring][(pages[ring].data_head + i) % SIZE] = ((const char *)bytes)[i];
	pages[ring].data_head += size;
}

static void write_event(int ring, uint64_t number, uint64_t time)
{
	struct small small = { .header = { .type = PERF_RECORD_LOST, .size = sizeof(small) },
			       .number = number,
			       .time = time };

	write_bytes(ring, &small, sizeof(small));
}

static uint64_t number_of(const struct perf_event_header *header)
{
	return header ? ((const struct small *)header)->number : 0;
}

static void order(void)
{
	struct rings rings = begin(0);

	write_event(0, 1, 10);
	write_event(0, 4, 40);
	write_event(1, 2, 20);
	write_event(1, 3, 30);
	write_event(1, 5, 50);
	ok(!rings_next(&rings, UINT64_MAX), "nothing is seen before a look");
	rings_look(&rings);
	for (uint64_t i = 1; i <= 4; i++)
		ok(number_of(rings_next(&rings, 40)) == i, "event %lu is the next", i);
	ok(!rings_next(&rings, 40), "one that is later than wanted stays");
	ok(pages[0].data_tail == pages[0].data_head &&
		   pages[1].data_tail == 2 * sizeof(struct small),
	   "consumed space is the kernel's again");
	write_event(0, 6, 45);
	rings_look(&rings);
	ok(number_of(rings_next(&rings, 60)) == 6 && number_of(rings_next(&rings, 60)) == 5,
	   "one that was written later and happened before comes before");
}

/* Positions so large that the numbers themselves wrap around. */
static void wrap(void)
{
	struct rings rings = begin(UINT64_MAX - SIZE / 2 - 7);
	bool right = true;

	for (uint64_t i = 1; i <= 200; i++) {
		write_event(0, i, i);
		rings_look(&rings);
		right = number_of(rings_next(&rings, UINT64_MAX)) == i &&
			!rings_next(&rings, UINT64_MAX) && right;
	}
	ok(right, "events go round the end of the ring");
}

static void nonsense(void)
{
	struct perf_event_header none = { .type = PERF_RECORD_SAMPLE, .size = 0 };
	struct perf_event_header stampless = { .type = PERF_RECORD_LOST, .size = sizeof(none) };
	struct rings rings = begin(0);

	write_bytes(0, &none, sizeof(none));
	write_event(0, 1, 10);
	write_bytes(1, &stampless, sizeof(stampless));
	write_event(1, 2, 20);
	rings_look(&rings);
	ok(number_of(rings_next(&rings, UINT64_MAX)) == 2, "one without a time is passed by");
	ok(!rings_next(&rings, UINT64_MAX) && pages[0].data_tail == pages[0].data_head,
	   "where one has no size, the rest is given up");
	ok(rings.damaged == sizeof(stampless) + sizeof(none) + sizeof(struct small),
	   "and all of it is counted");
	write_event(0, 3, 30);
	rings_look(&rings);
	ok(number_of(rings_next(&rings, UINT64_MAX)) == 3, "then it goes on");
	none.size = 4096;
	write_bytes(0, &none, sizeof(none));
	rings_look(&rings);
	ok(!rings_next(&rings, UINT64_MAX), "one that is longer than what was written is refused");
}

static void filling(void)
{
	struct rings rings = begin(0);

	ok(!rings_are_filling(&rings), "an empty ring is not filling");
	while (pages[1].data_head <= SIZE / 4)
		write_event(1, 1, 1);
	ok(rings_are_filling(&rings), "one that is full by a quarter is");
}

static void real(void)
{
	struct rings rings;
	int status = rings_open(&rings, CLOCK_MONOTONIC, 65536);

	if (status)
		skip("rings of the kernel", "perf_event_open() is refused");
	else
		ok(rings.count >= 1 && rings.rings[0].size == 65536,
		   "the kernel gives a ring for each CPU");
	rings_close(&rings);
}

int main(void)
{
	order();
	wrap();
	nonsense();
	filling();
	real();
	return tap_done();
}
