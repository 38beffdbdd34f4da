/* SPDX-License-Identifier: MIT */
#include "runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "labels.h"

static uint64_t place_of(const struct reader_segment *setup, const struct record_origin *origin)
{
	uint64_t place = hash_bytes(0, origin->boot_id, sizeof(origin->boot_id));
	const struct record_label *label = NULL;

	while ((label = labels_next(setup, label))) {
		place = hash_bytes(place, label->text, strlen(label->text) + 1);
		place = hash_bytes(place, labels_value(label), strlen(labels_value(label)) + 1);
	}
	return place ? place : 1;
}

static int add(struct runs *runs, const struct reader_segment *setup, struct err *err)
{
	struct run *more = vec_room(runs->list, runs->count, sizeof(*more));
	struct run run = { .setup = setup,
			   .origin = (const struct record_origin *)reader_find(setup,
									       RECORD_ORIGIN) };

	if (!more)
		return err_no_memory(err);
	if (run.origin)
		run.place = place_of(setup, run.origin);
	runs->list = more;
	runs->list[runs->count++] = run;
	return 0;
}

int runs_read(struct runs *runs, const struct reader *reader, struct err *err)
{
	int status = 0;

	*runs = (struct runs){ 0 };
	/* Segments are by offset, and so are runs. */
	for (size_t i = 0; i < reader->count && !status; i++)
		if (reader->segments[i].kind == RECORD_SETUP)
			status = add(runs, &reader->segments[i], err);
	if (status)
		runs_free(runs);
	return status;
}

void runs_free(struct runs *runs)
{
	free(runs->list);
	*runs = (struct runs){ 0 };
}

uint32_t runs_find(const struct runs *runs, const struct reader_segment *process)
{
	uint64_t offset = ((const struct record_segment *)process->bytes)->setup;
	size_t low = 0, high = runs->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (runs->list[middle].setup->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < runs->count && runs->list[low].setup->offset == offset ? (uint32_t)low : 0;
}

uint64_t runs_place(const struct runs *runs, uint32_t number)
{
	return number < runs->count ? runs->list[number].place : 0;
}
