/* SPDX-License-Identifier: MIT */
#include "retime_octaves.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

/* An octave on the new clock. */
struct octave {
	uint32_t function, caller, number;
	uint64_t bins[2 * RECORD_BINS];
};

struct octaves {
	struct octave *list;
	size_t count;
	struct hash by_owner; /* function, caller and number -> index in list */
};

static size_t bins_of(uint32_t octave)
{
	return octave ? RECORD_BINS : 2 * RECORD_BINS;
}

/* Returns the middle of a bin. */
static double middle_of(uint32_t octave, size_t bin)
{
	double width = (double)(UINT64_C(1) << octave);

	return octave ? ((double)(RECORD_BINS + bin) + 0.5) * width - 0.5 : (double)bin;
}

/* Finds where a duration is: its octave and bin. */
static void find_bin(uint64_t duration, uint32_t *octave, size_t *bin)
{
	uint32_t number = 0;

	while (duration >> number >= 2 * RECORD_BINS && number < RECORD_OCTAVES - 1)
		number++;
	*octave = number;
	*bin = (size_t)(duration >> number) - (number ? RECORD_BINS : 0);
	if (*bin >= bins_of(number))
		*bin = bins_of(number) - 1;
}

/* Returns the new octave of a function; NULL: no memory. */
static struct octave *octave_of(struct octaves *octaves, const struct record_octave *old,
				uint32_t number)
{
	uint64_t key = hash_bytes(number, &old->function, sizeof(old->function));
	struct octave *more;

	/* Others with the same key have the next keys. */
	for (key = hash_bytes(key, &old->caller, sizeof(old->caller));; key++) {
		uint32_t *place = hash_place(&octaves->by_owner, key);
		struct octave *known;

		if (!place)
			return NULL;
		if (*place == HASH_NONE) {
			more = vec_room(octaves->list, octaves->count, sizeof(*more));
			if (!more)
				return NULL;
			octaves->list = more;
			*place = (uint32_t)octaves->count;
			octaves->list[octaves->count] = (struct octave){ .function = old->function,
									 .caller = old->caller,
									 .number = number };
			return &octaves->list[octaves->count++];
		}
		known = &octaves->list[*place];
		if (known->function == old->function && known->caller == old->caller &&
		    known->number == number)
			return known;
	}
}

static int take_octave(struct octaves *octaves, const struct record_octave *old,
		       const struct retime *retime)
{
	for (size_t i = 0; i < bins_of(old->octave); i++) {
		double middle = middle_of(old->octave, i) * retime->factor + 0.5;
		struct octave *octave;
		uint32_t number;
		size_t bin;

		if (!old->bins[i])
			continue;
		find_bin(middle < 1e18 ? (uint64_t)middle : UINT64_MAX / 2, &number, &bin);
		octave = octave_of(octaves, old, number);
		if (!octave)
			return -ENOMEM;
		octave->bins[bin] += old->bins[i];
	}
	return 0;
}

static size_t octave_bytes(const struct octave *octave)
{
	return sizeof(struct record_octave) + bins_of(octave->number) * sizeof(octave->bins[0]);
}

static char *put_octave(char *at, const struct octave *octave)
{
	struct record_octave *item = (struct record_octave *)at;
	size_t size = octave_bytes(octave);

	*item = (struct record_octave){ .item = { RECORD_OCTAVE, (uint32_t)size },
					.function = octave->function,
					.caller = octave->caller,
					.octave = octave->number };
	memcpy(item->bins, octave->bins, size - sizeof(*item));
	return at + size;
}

/* Makes the segment again: all other items, then the octaves. */
static int rebuild(struct reader_segment *segment, const struct octaves *octaves)
{
	const struct record_item *item = NULL;
	size_t size = segment->end;
	char *bytes, *at;

	for (size_t i = 0; i < octaves->count; i++)
		size += octave_bytes(&octaves->list[i]);
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	at = mempcpy(bytes, segment->bytes, segment->items);
	while ((item = reader_next(segment, item)))
		if (item->kind != RECORD_OCTAVE)
			at = mempcpy(at, item, item->size);
	for (size_t i = 0; i < octaves->count; i++)
		at = put_octave(at, &octaves->list[i]);
	free(segment->bytes);
	segment->bytes = bytes;
	segment->end = (size_t)(at - bytes);
	return 0;
}

int retime_octaves(struct reader_segment *segment, const struct retime *retime, struct err *err)
{
	struct octaves octaves = { 0 };
	const struct record_item *item = NULL;
	int status = 0;

	while (!status && (item = reader_next(segment, item)))
		if (item->kind == RECORD_OCTAVE)
			status = take_octave(&octaves, (const struct record_octave *)item, retime);
	if (!status)
		status = rebuild(segment, &octaves);
	free(octaves.list);
	hash_free(&octaves.by_owner);
	return status ? err_no_memory(err) : 0;
}
