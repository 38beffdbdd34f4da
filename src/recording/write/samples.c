/* SPDX-License-Identifier: MIT */
#include "samples.h"

#define FIRST_SAMPLES   9 /* with its head two cache lines: most threads are short */
#define SAMPLES_AT_MOST 1025
#define TIME_SHIFT      17 /* 131 us, or some 50 us of a CPU's counter */
#define UNITS_MAX       UINT16_MAX
#define UNIT_MAX_NS     (UINT32_C(1) << 31)

void samples_begin(struct samples_writer *writer, uint32_t tid)
{
	writer->item = NULL;
	writer->item_room = FIRST_SAMPLES;
	writer->tid = tid;
	writer->rest_ns = 0;
	writer->name[0] = '\0';
}

static bool next_item(struct samples_writer *writer, uint64_t time)
{
	uint32_t wanted = writer->item_room;
	struct record_samples *item;
	uint32_t room = room_fitting(writer->room, sizeof(*item), sizeof(item->samples[0]), wanted,
				     FIRST_SAMPLES);

	item = room_take(writer->room, sizeof(*item) + room * sizeof(item->samples[0]));
	if (!item)
		return false;
	item->time = time;
	item->time_shift = TIME_SHIFT;
	item->weight_ns = writer->weight_ns;
	item->tid = writer->tid;
	item->room = room;
	for (unsigned i = 0; i < sizeof(item->name); i++)
		item->name[i] = writer->name[i];
	room_publish(&item->item, RECORD_SAMPLES);
	writer->item = item;
	writer->item_room = wanted < SAMPLES_AT_MOST ? wanted * 2 - 1 : wanted;
	writer->reached = time;
	return true;
}

/* Returns true if a sample of that time fits into the item being filled. */
static bool fits(const struct samples_writer *writer, uint64_t time)
{
	const struct record_samples *item = writer->item;

	return item && item->count < item->room &&
	       (time <= writer->reached || (time - writer->reached) >> TIME_SHIFT <= UNITS_MAX);
}

bool samples_add(struct samples_writer *writer, uint32_t frame, uint64_t weight, uint64_t time)
{
	do {
		uint64_t part = weight < UINT16_MAX ? weight : UINT16_MAX, units;
		struct record_samples *item;

		if (!fits(writer, time) && !next_item(writer, time))
			return false;
		item = writer->item;
		units = time > writer->reached ? (time - writer->reached) >> TIME_SHIFT : 0;
		item->samples[item->count] = (struct record_sample){ .frame = frame,
								     .weight = (uint16_t)part,
								     .time = (uint16_t)units };
		__atomic_store_n(&item->count, item->count + 1, __ATOMIC_RELEASE);
		writer->reached += units << TIME_SHIFT;
		weight -= part;
	} while (weight);
	return true;
}

/* Enlarges the unit. Readers know the unit of a whole item. */
static void enlarge_unit(struct samples_writer *writer, uint64_t ns)
{
	uint32_t unit = writer->weight_ns;

	while (ns / unit > UINT16_MAX && unit <= UNIT_MAX_NS / 2)
		unit *= 2;
	if (unit != writer->weight_ns)
		writer->item = NULL;
	writer->weight_ns = unit;
}

bool samples_add_ns(struct samples_writer *writer, uint32_t frame, uint64_t ns, uint64_t time)
{
	int64_t due = (int64_t)ns + writer->rest_ns;
	uint64_t whole = due > 0 ? (uint64_t)due : 0, weight;

	enlarge_unit(writer, whole);
	weight = whole / writer->weight_ns;
	if (!samples_add(writer, frame, weight, time))
		return false;
	writer->rest_ns = due - (int64_t)(weight * writer->weight_ns);
	return true;
}

uint32_t samples_last(const struct samples_writer *writer)
{
	const struct record_samples *item = writer->item;

	return item && item->count ? item->samples[item->count - 1].frame : RECORD_FRAME_LAST(0);
}

int64_t samples_adjust(struct samples_writer *writer, int64_t ns)
{
	struct record_samples *item = writer->item;
	struct record_sample *last;
	int64_t due, weight, most;

	if (!item || !item->count)
		return ns;
	last = &item->samples[item->count - 1];
	due = (int64_t)last->weight * item->weight_ns + writer->rest_ns + ns;
	most = (int64_t)UINT16_MAX * item->weight_ns;
	weight = due > most ? UINT16_MAX : due > 0 ? due / item->weight_ns : 0;
	last->weight = (uint16_t)weight;
	writer->rest_ns = due > most ? 0 : due - weight * item->weight_ns;
	return due > most ? due - most : 0;
}
