/* SPDX-License-Identifier: MIT */
#include "runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/vec.h"
#include "labels.h"
#include "recording/make/timebase.h"

static uint64_t key_of(const struct run *run)
{
	const struct record_label *label = NULL;
	uint64_t key = 0;

	if (!run->origin)
		return 0;
	key = hash_bytes(0, run->origin->boot_id, sizeof(run->origin->boot_id));
	while ((label = labels_next(run->setup, label))) {
		key = hash_bytes(key, label->text, strlen(label->text) + 1);
		key = hash_bytes(key, labels_value(label), strlen(labels_value(label)) + 1);
	}
	return key;
}

static bool is_elsewhere(const struct record_origin *origin)
{
	uint8_t here[sizeof(origin->boot_id)];

	return !timebase_boot_id(here) || memcmp(here, origin->boot_id, sizeof(here)) != 0;
}

static int add(struct runs *runs, struct hash *machines, const struct reader_segment *setup)
{
	struct run *more = vec_room(runs->list, runs->count, sizeof(*more));
	struct run run = { .setup = setup,
			   .origin = (const struct record_origin *)reader_find(setup,
									       RECORD_ORIGIN) };
	uint32_t *place;

	if (!more)
		return -ENOMEM;
	runs->list = more;
	place = hash_place(machines, key_of(&run));
	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE)
		*place = (uint32_t)machines->count - 1;
	run.machine = *place;
	run.is_elsewhere = run.origin && is_elsewhere(run.origin);
	runs->list[runs->count++] = run;
	return 0;
}

int runs_read(struct runs *runs, const struct reader *reader, struct err *err)
{
	struct hash machines = { 0 };
	int status = 0;

	*runs = (struct runs){ 0 };
	/* Segments are by offset, and so are runs. */
	for (size_t i = 0; i < reader->count && !status; i++)
		if (reader->segments[i].kind == RECORD_SETUP)
			status = add(runs, &machines, &reader->segments[i]);
	hash_free(&machines);
	if (status)
		runs_free(runs);
	return status ? err_no_memory(err) : 0;
}

void runs_free(struct runs *runs)
{
	free(runs->list);
	*runs = (struct runs){ 0 };
}

static uint64_t offset_at(const void *list, size_t i)
{
	return ((const struct run *)list)[i].setup->offset;
}

uint32_t runs_find(const struct runs *runs, const struct reader_segment *process)
{
	uint64_t offset = ((const struct record_segment *)process->bytes)->setup;
	size_t before = bisect(offset_at, runs->list, runs->count, offset);

	return before && offset_at(runs->list, before - 1) == offset ? (uint32_t)before - 1 : 0;
}

struct run runs_get(const struct runs *runs, uint32_t number)
{
	return number < runs->count ? runs->list[number] : (struct run){ 0 };
}

int runs_add_processes(const struct reader *reader, runs_add *adds, void *list, struct err *err)
{
	struct runs runs;
	int status = runs_read(&runs, reader, err);

	if (status)
		return status;
	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		uint32_t number = runs_find(&runs, segment);
		struct run run = runs_get(&runs, number);

		if (segment->kind == RECORD_PROCESS)
			status = adds(list, segment, number, &run, err);
	}
	runs_free(&runs);
	return status;
}
