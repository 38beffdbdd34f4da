/* SPDX-License-Identifier: MIT
 *
 * test_samples.c - a reader finds the samples as written: their frames, times and weights, also if
 * these do not fit into 16 bits.
 */
#include "recording/write/samples.h"
#include "../../runtime/calls/wrapped.h"

#define SHIFT     17
#define UNIT      (UINT64_C(1) << SHIFT)
#define ITEMS_MAX 4096

/* The samples as read. */
static struct {
	const struct record_samples *items[ITEMS_MAX];
	size_t item_count, samples;
	uint64_t weight;
	uint64_t last_time;
	uint32_t last_frame;
	bool in_order;
} found;

static struct room room;
static struct samples_writer writer;

static void begin(uint32_t tid)
{
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
	room_hold();
	unlink(wrapped.path);
	room = (struct room){ .kind = RECORD_COUNTS, .owner = 77 };
	writer = (struct samples_writer){ .room = &room, .weight_ns = 1000 };
	samples_begin(&writer, tid);
}

static void read_item(const struct record_samples *item)
{
	uint64_t time = item->time;

	found.items[found.item_count++] = item;
	for (uint32_t i = 0; i < item->count; i++) {
		time += (uint64_t)item->samples[i].time << item->time_shift;
		found.in_order = found.in_order && time >= found.last_time;
		found.last_time = time;
		found.last_frame = item->samples[i].frame;
		found.weight += item->samples[i].weight;
		found.samples++;
	}
}

static void read_all(void)
{
	const struct record_segment *segment = NULL;
	size_t size;
	const char *bytes = recording_map(&size);

	memset(&found, 0, sizeof(found));
	found.in_order = true;
	while ((segment = recording_next(bytes, size, segment)))
		if (segment->kind == RECORD_COUNTS)
			for (const struct record_item *item = NULL;
			     (item = item_next(segment, item)) && found.item_count < ITEMS_MAX;)
				read_item((const struct record_samples *)item);
}

static void one(void)
{
	begin(42);
	strcpy(writer.name, "its name");
	ok(samples_add(&writer, 5, 3, 1000 * UNIT + 17), "a sample is added");
	read_all();
	ok(found.item_count == 1 && found.samples == 1 && found.last_frame == 5 &&
		   found.weight == 3,
	   "it is to be seen at once, with its frame and its weight");
	ok(found.last_time == 1000 * UNIT + 17, "the first one has its time exactly");
	ok(found.items[0]->tid == 42 && found.items[0]->weight_ns == 1000 &&
		   strcmp(found.items[0]->name, "its name") == 0,
	   "whose it is, and what a weight is, is said beside it");
}

static void times(void)
{
	uint64_t start = 1000 * UNIT, time = start;
	bool close_enough = true;

	begin(42);
	for (int i = 0; i < 5; i++) {
		time += UNIT * 3 / 4; /* less than a unit: remainders must not add up */
		samples_add(&writer, 1, 1, time);
		read_all();
		close_enough =
			found.last_time <= time && time - found.last_time < UNIT && close_enough;
	}
	ok(close_enough, "times are rounded down to a unit, and errors do not add up");
	samples_add(&writer, 2, 1, time - 10 * UNIT);
	read_all();
	ok(found.in_order && found.samples == 6,
	   "one that comes late has the time of the one before");
	time = found.last_time + UINT16_MAX * UNIT;
	samples_add(&writer, 3, 1, time);
	read_all();
	ok(found.last_time == time && found.item_count == 1, "a gap of 65535 units fits");
	time += (UINT16_MAX + UINT64_C(1)) * UNIT;
	samples_add(&writer, 4, 1, time);
	read_all();
	ok(found.last_time == time && found.item_count == 2, "a larger one begins another item");
	time += UINT64_C(1) << 60;
	samples_add(&writer, 4, 1, time);
	read_all();
	ok(found.last_time == time && found.samples == 9, "also if it is a year");
}

static void weights(void)
{
	begin(42);
	samples_add(&writer, 1, UINT16_MAX, UNIT);
	read_all();
	ok(found.samples == 1 && found.weight == UINT16_MAX, "a weight of 65535 is one sample");
	samples_add(&writer, 1, UINT16_MAX + 1, UNIT);
	read_all();
	ok(found.samples == 3 && found.weight == 2 * UINT16_MAX + 1, "65536 are two");
	samples_add(&writer, 7, 10 * UINT16_MAX + 5, 2 * UNIT);
	read_all();
	ok(found.samples == 14 && found.weight == 12 * UINT16_MAX + 6 && found.last_frame == 7 &&
		   found.last_time == 2 * UNIT,
	   "as many as it takes, at the same time, over more items than one");
}

/* Sums up all of it in nanoseconds. */
static uint64_t sum_ns(void)
{
	uint64_t ns = 0;

	read_all();
	for (size_t i = 0; i < found.item_count; i++)
		for (uint32_t j = 0; j < found.items[i]->count; j++)
			ns += (uint64_t)found.items[i]->samples[j].weight *
			      found.items[i]->weight_ns;
	return ns;
}

static void weights_in_ns(void)
{
	const uint64_t second = 1000000000;
	bool right = true;

	begin(42);
	for (int i = 0; i < 1000; i++)
		right = samples_add_ns(&writer, 1, 50500, UNIT) && right;
	ok(right && sum_ns() == 50500000 && found.samples == 1000,
	   "a fraction of a unit is in the next sample");
	samples_add_ns(&writer, 1, 100 * second, UNIT);
	ok(sum_ns() / 1000000 == 100050 && found.samples == 1001,
	   "a weight that is too large for the unit is one sample of a larger unit");
	samples_add_ns(&writer, 1, second / 1000, UNIT);
	ok((sum_ns() + (uint64_t)writer.rest_ns) / 1000 == 100051500 && found.samples == 1002,
	   "and what follows is not lost");
}

static void adjusting(void)
{
	begin(42);
	ok(samples_adjust(&writer, 5000) == 5000,
	   "where there is no sample, none can be put right");
	samples_add_ns(&writer, 1, 3000000, UNIT);
	samples_add_ns(&writer, 2, 1000000, 2 * UNIT);
	ok(samples_adjust(&writer, 250500) == 0 && sum_ns() == 4250000 && found.samples == 2,
	   "the last one takes more");
	ok(samples_adjust(&writer, 500) == 0 && sum_ns() == 4251000, "to the nanosecond");
	ok(samples_adjust(&writer, -251000) == 0 && sum_ns() == 4000000, "or less");
	ok(samples_adjust(&writer, -5000000) == 0 && sum_ns() == 3000000,
	   "but never less than none");
	samples_add_ns(&writer, 2, 4500000, 3 * UNIT);
	ok(sum_ns() == 3500000, "the rest is taken from the next sample");
	ok(samples_adjust(&writer, 80000000) == 80000000 + 500000 - 65535000 &&
		   sum_ns() == 3000000 + 65535000,
	   "more than the maximum weight of a sample is returned");
}

static void growth(void)
{
	bool right = true, grows = true;
	uint32_t largest = 0;

	begin(42);
	for (uint32_t i = 0; i < 200000; i++)
		right = samples_add(&writer, i, 1, UNIT * i) && right;
	read_all();
	for (size_t i = 0; i < found.item_count; i++) {
		const struct record_samples *item = found.items[i];

		/* Smaller ones fill up a segment. */
		grows = item->room >= 9 && item->room <= 1025 &&
			(item->room >= largest || i + 1 == found.item_count ||
			 found.items[i + 1]->room >= largest) &&
			grows;
		right = (i + 1 == found.item_count || item->count == item->room) && right;
		largest = item->room > largest ? item->room : largest;
	}
	ok(right && found.samples == 200000 && found.weight == 200000 &&
		   found.last_frame == 199999 && found.in_order,
	   "200,000 samples are all there, in order");
	ok(found.items[0]->room == 9 && grows && largest == 1025,
	   "items become larger, from two cache lines to 1025 samples");
	ok(room_header()->end < 200000 * 8 * 11 / 10 + (2 << 20),
	   "and cost little more than their 8 bytes each");
}

static void next_thread(void)
{
	begin(42);
	samples_add(&writer, 1, 1, UNIT);
	samples_begin(&writer, 43);
	samples_add(&writer, 2, 1, 2 * UNIT);
	read_all();
	ok(found.item_count == 2 && found.items[1]->tid == 43 && found.items[1]->name[0] == '\0' &&
		   found.items[1]->room == 9,
	   "another thread's samples have an item of their own, which starts small again");
}

static void scarcity(void)
{
	bool refused;

	begin(42);
	limit_size(0);
	refused = !samples_add(&writer, 1, 1, UNIT);
	limit_size(RLIM_INFINITY);
	ok(refused, "without space it says so");
	ok(samples_add(&writer, 1, 1, UNIT), "and goes on where there is some");
	read_all();
	ok(found.samples == 1, "with what came later");
}

int main(void)
{
	one();
	times();
	weights();
	weights_in_ns();
	adjusting();
	growth();
	next_thread();
	scarcity();
	return tap_done();
}
