/* SPDX-License-Identifier: MIT */
#include "symbol/archive_write.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "recording/make/item_list.h"
#include "recording/format.h"

/* An item may have 1 MiB; these stay well below. */
#define PLACES_IN_ITEM 8192

/* Returns a key: objects and processes share one range of numbers. */
static uint64_t key_of(const struct symbolizer_object *object, uint64_t maker)
{
	return object ? (uint64_t)object->number << 1 : maker << 1 | 1;
}

static struct archive_write_file *file_of(struct archive_write *archive,
					  const struct symbolizer_object *object, uint64_t maker)
{
	uint32_t *place = hash_place(&archive->by_owner, key_of(object, maker));
	struct archive_write_file *more;

	if (!place)
		return NULL;
	if (*place != HASH_NONE)
		return &archive->files[*place];
	more = vec_room(archive->files, archive->count, sizeof(*more));
	if (!more)
		return NULL;
	archive->files = more;
	*place = (uint32_t)archive->count;
	archive->files[archive->count] =
		(struct archive_write_file){ .object = object, .maker = maker };
	return &archive->files[archive->count++];
}

static int number_of(struct archive_write *archive, const char *text, uint32_t *number)
{
	uint32_t *place;
	const char **more;

	*number = RECORD_NO_TEXT;
	if (!text)
		return 0;
	place = hash_place(&archive->by_text, (uintptr_t)text);
	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE) {
		more = vec_room(archive->texts, archive->text_count, sizeof(*more));
		if (!more)
			return -ENOMEM;
		archive->texts = more;
		*place = (uint32_t)archive->text_count;
		archive->texts[archive->text_count++] = text;
	}
	*number = *place;
	return 0;
}

/* Further facts about a place. */
struct spot {
	uint64_t offset, address;
};

static int add_frame(struct archive_write *archive, struct archive_write_file *file,
		     const struct spot *spot, const struct place_frame *frame, uint32_t flags)
{
	struct record_place *more = vec_room(file->places, file->count, sizeof(*more));
	struct record_place record = { .offset = spot->offset,
				       .address = spot->address,
				       .start = frame->start,
				       .line = frame->line,
				       .flags = flags };

	if (!more)
		return -ENOMEM;
	file->places = more;
	if (number_of(archive, frame->symbol, &record.symbol) ||
	    number_of(archive, frame->source, &record.source))
		return -ENOMEM;
	file->places[file->count++] = record;
	return 0;
}

/* Returns true if the plain result follows from the other: the function that is really there, with
 * the line of the code. */
static bool follows(const struct place *place, const struct place_frame *plain)
{
	const struct place_frame *first = &place->frames[0];
	const struct place_frame *last = &place->frames[place->depth - 1];

	return plain->symbol == last->symbol && plain->start == last->start &&
	       plain->source == first->source && plain->line == first->line;
}

static int keep(struct archive_write *archive, struct archive_write_file *file,
		const struct spot *spot, const struct place *place, const struct place_frame *plain)
{
	uint32_t *first = file ? hash_place(&file->by_offset, spot->offset) : NULL;
	bool is_plain = follows(place, plain);
	int status = 0;

	if (!first)
		return -ENOMEM;
	if (*first != HASH_NONE)
		return 0;
	*first = (uint32_t)file->count;
	for (size_t i = 0; i < place->depth && !status; i++) {
		bool is_last = i + 1 == place->depth;
		uint32_t end = is_plain ? 0 : RECORD_PLACE_PLAIN;

		status = add_frame(archive, file, spot, &place->frames[i],
				   is_last ? end : RECORD_PLACE_INLINED);
	}
	return status || is_plain ? status : add_frame(archive, file, spot, plain, 0);
}

int archive_write_keep(struct archive_write *archive, const struct symbolizer_object *object,
		       uint64_t offset, const struct place *place, const struct place_frame *plain)
{
	struct spot spot = { offset, place->address };

	return keep(archive, file_of(archive, object, 0), &spot, place, plain);
}

int archive_write_keep_jit(struct archive_write *archive, uint64_t maker, const struct place *place)
{
	struct spot spot = { place->address, place->address };

	return keep(archive, file_of(archive, NULL, maker), &spot, place, &place->frames[0]);
}

int archive_write_keep_object(struct archive_write *archive, const struct symbolizer_object *object)
{
	return file_of(archive, object, 0) ? 0 : -ENOMEM;
}

int archive_write_keep_signal(struct archive_write *archive, const struct symbolizer_object *object,
			      uint64_t offset)
{
	struct archive_write_file *file = file_of(archive, object, 0);
	const uint32_t *first = file ? hash_find(&file->by_offset, offset) : NULL;

	if (first)
		file->places[*first].flags |= RECORD_PLACE_SIGNAL;
	return file ? 0 : -ENOMEM;
}

static enum record_file_state state_of(const struct symbolizer_object *object)
{
	switch (object->state) {
	case SYMBOLIZER_OPEN:
		return RECORD_FILE_OPEN;
	case SYMBOLIZER_CHANGED:
		return RECORD_FILE_CHANGED;
	case SYMBOLIZER_DAMAGED:
		return RECORD_FILE_DAMAGED;
	default:
		return RECORD_FILE_MISSING;
	}
}

static int add_file(struct item_list *items, const struct archive_write_file *file,
		    const char *package)
{
	const struct symbolizer_object *object = file->object;
	const char *path = object ? object->path : "";
	struct record_file *record = item_list_add(
		items, RECORD_FILE, sizeof(*record) + strlen(path) + strlen(package) + 2);

	if (!record)
		return -ENOMEM;
	record->pid = (uint32_t)file->maker;
	record->run = (uint32_t)(file->maker >> 32);
	strcpy(stpcpy(record->path, path) + 1, package);
	if (object) {
		record->state = state_of(object);
		record->is_full = object->is_full;
		record->build_id_size = (uint32_t)object->id.size;
		memcpy(record->build_id, object->id.bytes, object->id.size);
	}
	return 0;
}

static int add_text_item(struct item_list *items, const char *text)
{
	struct record_text *record =
		item_list_add(items, RECORD_TEXT, sizeof(*record) + strlen(text) + 1);

	if (!record)
		return -ENOMEM;
	strcpy(record->text, text);
	return 0;
}

/* Returns how many places go into an item: those of one offset stay together. */
static size_t places_for_item(const struct archive_write_file *file, size_t from)
{
	size_t count = file->count - from < PLACES_IN_ITEM ? file->count - from : PLACES_IN_ITEM;

	while (from + count < file->count &&
	       file->places[from + count - 1].offset == file->places[from + count].offset)
		count++;
	return count;
}

static int add_places(struct item_list *items, const struct archive_write_file *file,
		      uint32_t number)
{
	size_t count;

	for (size_t from = 0; from < file->count; from += count) {
		struct record_places *record;
		size_t bytes;

		count = places_for_item(file, from);
		bytes = count * sizeof(record->places[0]);
		record = item_list_add(items, RECORD_PLACES, sizeof(*record) + bytes);
		if (!record)
			return -ENOMEM;
		record->file = number;
		record->count = (uint32_t)count;
		memcpy(record->places, file->places + from, bytes);
	}
	return 0;
}

/* Adds the files, with the packages that reports would name. */
static int add_files(struct item_list *items, const struct archive_write *archive,
		     const struct symbolizer *symbolizer)
{
	struct symbolizer_package *packages = calloc(archive->count + 1, sizeof(*packages));
	int status = packages ? 0 : -ENOMEM;

	for (size_t i = 0; i < archive->count && !status; i++)
		packages[i].object = archive->files[i].object;
	if (!status)
		status = symbolizer_packages(symbolizer, packages, archive->count);
	for (size_t i = 0; i < archive->count && !status; i++)
		status = add_file(items, &archive->files[i], packages[i].name);
	free(packages);
	return status;
}

int archive_write_items(const struct archive_write *archive, const struct symbolizer *symbolizer,
			char **bytes, size_t *size)
{
	struct item_list items = { 0 };
	int status;

	status = add_files(&items, archive, symbolizer);
	for (size_t i = 0; i < archive->text_count && !status; i++)
		status = add_text_item(&items, archive->texts[i]);
	for (size_t i = 0; i < archive->count && !status; i++)
		status = add_places(&items, &archive->files[i], (uint32_t)i);
	if (status)
		free(items.bytes);
	*bytes = status ? NULL : items.bytes;
	*size = status ? 0 : items.size;
	return status;
}

void archive_write_free(struct archive_write *archive)
{
	for (size_t i = 0; i < archive->count; i++) {
		free(archive->files[i].places);
		hash_free(&archive->files[i].by_offset);
	}
	free(archive->files);
	free(archive->texts);
	hash_free(&archive->by_owner);
	hash_free(&archive->by_text);
	*archive = (struct archive_write){ 0 };
}
