/* SPDX-License-Identifier: MIT */
#include "symbol/carried.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Others with the same key have the next ones; damage could make that many. */
#define MOST_TRIES 64

static uint64_t key_of_file(const char *path, const struct build_id *id)
{
	return hash_bytes(hash_bytes(0, path, strlen(path)), id->bytes, id->size);
}

static uint64_t key_of_pid(uint32_t pid)
{
	return hash_bytes(1, &pid, sizeof(pid));
}

static struct build_id id_of(const struct record_file *file)
{
	struct build_id id = { .size = file->build_id_size };

	memcpy(id.bytes, file->build_id, file->build_id_size);
	return id;
}

static bool is_made(const struct record_file *file)
{
	return file->state == RECORD_FILE_MADE;
}

static int add_text(struct carried *carried, const struct record_item *item)
{
	const char **more = vec_room(carried->texts, carried->text_count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	carried->texts = more;
	carried->texts[carried->text_count++] = ((const struct record_text *)item)->text;
	return 0;
}

/* Of two that are the same, the first one is found. */
static int add_name(struct carried *carried, const struct record_file *file)
{
	struct build_id id = id_of(file);
	uint64_t key = is_made(file) ? key_of_pid(file->pid) : key_of_file(file->path, &id);

	for (int i = 0; i < MOST_TRIES; i++, key++) {
		uint32_t *number = hash_place(&carried->by_name, key);

		if (!number)
			return -ENOMEM;
		if (*number == HASH_NONE) {
			*number = (uint32_t)carried->file_count;
			break;
		}
	}
	return 0;
}

static int add_file(struct carried *carried, const struct record_item *item)
{
	const struct record_file *file = (const struct record_file *)item;
	const struct record_file **more =
		vec_room(carried->files, carried->file_count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	carried->files = more;
	if (add_name(carried, file))
		return -ENOMEM;
	carried->files[carried->file_count++] = file;
	return 0;
}

/* How many places are one answer. */
static uint32_t chain_of(const struct record_places *item, uint32_t from)
{
	uint32_t count = 1;

	while (from + count < item->count &&
	       item->places[from + count - 1].flags & (RECORD_PLACE_INLINED | RECORD_PLACE_PLAIN))
		count++;
	return count;
}

static uint64_t key_of_place(uint32_t file, uint64_t offset)
{
	return hash_bytes(file, &offset, sizeof(offset));
}

static int add_place(struct carried *carried, const struct carried_place *place)
{
	struct carried_place *more = vec_room(carried->places, carried->place_count, sizeof(*more));
	uint64_t key = key_of_place(place->file, place->places->offset);

	if (!more || carried->place_count >= HASH_NONE)
		return -ENOMEM;
	carried->places = more;
	for (int i = 0; i < MOST_TRIES; i++, key++) {
		uint32_t *number = hash_place(&carried->by_offset, key);

		if (!number)
			return -ENOMEM;
		if (*number != HASH_NONE)
			continue;
		*number = (uint32_t)carried->place_count;
		carried->places[carried->place_count++] = *place;
		break;
	}
	return 0;
}

static int add_places(struct carried *carried, const struct record_item *item)
{
	const struct record_places *places = (const struct record_places *)item;
	struct carried_place place = { .file = places->file };
	int status = 0;

	for (uint32_t i = 0; i < places->count && !status; i += place.count) {
		place.places = &places->places[i];
		place.count = chain_of(places, i);
		status = add_place(carried, &place);
	}
	return status;
}

static int add_item(struct carried *carried, const struct record_item *item)
{
	switch (item->kind) {
	case RECORD_FILE:
		return add_file(carried, item);
	case RECORD_TEXT:
		return add_text(carried, item);
	case RECORD_PLACES:
		return add_places(carried, item);
	default:
		return 0;
	}
}

int carried_read(struct carried *carried, const struct reader *reader)
{
	int status = 0;

	*carried = (struct carried){ 0 };
	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct record_item *item = NULL;

		if (reader->segments[i].kind != RECORD_ANSWERS)
			continue;
		carried->is_there = true;
		while (!status && (item = reader_next(&reader->segments[i], item)))
			status = add_item(carried, item);
	}
	return status;
}

void carried_free(struct carried *carried)
{
	free(carried->texts);
	free(carried->files);
	free(carried->places);
	hash_free(&carried->by_name);
	hash_free(&carried->by_offset);
	*carried = (struct carried){ 0 };
}

uint32_t carried_file(const struct carried *carried, const char *path, const struct build_id *id)
{
	const uint32_t *number;

	for (uint64_t key = key_of_file(path, id); (number = hash_find(&carried->by_name, key));
	     key++) {
		const struct record_file *file = carried->files[*number];
		struct build_id own = id_of(file);

		if (!is_made(file) && strcmp(file->path, path) == 0 && build_id_same(&own, id))
			return *number;
	}
	return CARRIED_NONE;
}

uint32_t carried_made(const struct carried *carried, uint32_t pid)
{
	const uint32_t *number;

	for (uint64_t key = key_of_pid(pid); (number = hash_find(&carried->by_name, key)); key++)
		if (is_made(carried->files[*number]) && carried->files[*number]->pid == pid)
			return *number;
	return CARRIED_NONE;
}

/* NULL: nobody knows. */
static const struct carried_place *find(const struct carried *carried, uint32_t file,
					uint64_t offset)
{
	const uint32_t *number;

	for (uint64_t key = key_of_place(file, offset);
	     (number = hash_find(&carried->by_offset, key)); key++) {
		const struct carried_place *place = &carried->places[*number];

		if (place->file == file && place->places->offset == offset)
			return place;
	}
	return NULL;
}

static const char *text_of(const struct carried *carried, uint32_t number)
{
	return number < carried->text_count ? carried->texts[number] : NULL;
}

static struct place_frame frame_of(const struct carried *carried, const struct record_place *record)
{
	return (struct place_frame){ .symbol = text_of(carried, record->symbol),
				     .start = record->start,
				     .source = text_of(carried, record->source),
				     .line = record->line };
}

/* How many functions are in each other; behind them may be the plain answer. */
static uint32_t depth_of(const struct carried_place *known)
{
	return known->count -
	       (known->count > 1 && known->places[known->count - 2].flags & RECORD_PLACE_PLAIN);
}

static void answer_deeply(const struct carried *carried, const struct carried_place *known,
			  struct place *place)
{
	place->depth = depth_of(known) < PLACE_DEPTH ? depth_of(known) : PLACE_DEPTH;
	for (size_t i = 0; i < place->depth; i++)
		place->frames[i] = frame_of(carried, &known->places[i]);
}

/* The function that is really there, with the line that the code is of. */
static void answer_plainly(const struct carried *carried, const struct carried_place *known,
			   struct place *place)
{
	uint32_t depth = depth_of(known);
	struct place_frame first = frame_of(carried, &known->places[0]);

	place->depth = 1;
	place->frames[0] = frame_of(carried, &known->places[known->count - 1]);
	if (depth < known->count)
		return;
	place->frames[0].source = first.source;
	place->frames[0].line = first.line;
}

void carried_answer(const struct carried *carried, uint32_t file, uint64_t offset,
		    const struct elf_module_wish *wish, struct place *place)
{
	const struct carried_place *known = find(carried, file, offset);

	if (!known)
		return;
	place->address = known->places->address;
	if (wish->inlines)
		answer_deeply(carried, known, place);
	else
		answer_plainly(carried, known, place);
	for (size_t i = 0; i < place->depth && !wish->lines; i++) {
		place->frames[i].source = NULL;
		place->frames[i].line = 0;
	}
}

bool carried_is_signal(const struct carried *carried, uint32_t file, uint64_t offset)
{
	const struct carried_place *known = find(carried, file, offset);

	return known && known->places->flags & RECORD_PLACE_SIGNAL;
}

const char *carried_package(const struct carried *carried, uint32_t file)
{
	return reader_second_text(carried->files[file]->path);
}
