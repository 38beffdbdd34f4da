/* SPDX-License-Identifier: MIT */
#include "symbol/archive_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Further ones with the same key have the next keys; damage could make them many. */
#define MOST_TRIES 64

static uint64_t key_of_file(const char *path, const struct build_id *id)
{
	return hash_bytes(hash_bytes(0, path, strlen(path)), id->bytes, id->size);
}

static uint64_t key_of_maker(uint64_t maker)
{
	return hash_bytes(1, &maker, sizeof(maker));
}

static uint64_t maker_of(const struct record_file *file)
{
	return (uint64_t)file->run << 32 | file->pid;
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

static int add_text(struct archive_read *archive, const struct record_item *item)
{
	const char **more = vec_room(archive->texts, archive->text_count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	archive->texts = more;
	archive->texts[archive->text_count++] = ((const struct record_text *)item)->text;
	return 0;
}

/* Adds a name. The first of two equal ones is found. */
static int add_name(struct archive_read *archive, const struct record_file *file)
{
	struct build_id id = id_of(file);
	uint64_t key = is_made(file) ? key_of_maker(maker_of(file)) : key_of_file(file->path, &id);

	for (int i = 0; i < MOST_TRIES; i++, key++) {
		uint32_t *number = hash_place(&archive->by_name, key);

		if (!number)
			return -ENOMEM;
		if (*number == HASH_NONE) {
			*number = (uint32_t)archive->file_count;
			break;
		}
	}
	return 0;
}

static int add_file(struct archive_read *archive, const struct record_item *item)
{
	const struct record_file *file = (const struct record_file *)item;
	const struct record_file **more =
		vec_room(archive->files, archive->file_count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	archive->files = more;
	if (add_name(archive, file))
		return -ENOMEM;
	archive->files[archive->file_count++] = file;
	return 0;
}

/* Returns how many places form one result. */
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

static int add_place(struct archive_read *archive, const struct archive_read_place *place)
{
	struct archive_read_place *more =
		vec_room(archive->places, archive->place_count, sizeof(*more));
	uint64_t key = key_of_place(place->file, place->places->offset);

	if (!more || archive->place_count >= HASH_NONE)
		return -ENOMEM;
	archive->places = more;
	for (int i = 0; i < MOST_TRIES; i++, key++) {
		uint32_t *number = hash_place(&archive->by_offset, key);

		if (!number)
			return -ENOMEM;
		if (*number != HASH_NONE)
			continue;
		*number = (uint32_t)archive->place_count;
		archive->places[archive->place_count++] = *place;
		break;
	}
	return 0;
}

static int add_places(struct archive_read *archive, const struct record_item *item)
{
	const struct record_places *places = (const struct record_places *)item;
	struct archive_read_place place = { .file = places->file };
	int status = 0;

	for (uint32_t i = 0; i < places->count && !status; i += place.count) {
		place.places = &places->places[i];
		place.count = chain_of(places, i);
		status = add_place(archive, &place);
	}
	return status;
}

static int add_item(struct archive_read *archive, const struct record_item *item)
{
	switch (item->kind) {
	case RECORD_FILE:
		return add_file(archive, item);
	case RECORD_TEXT:
		return add_text(archive, item);
	case RECORD_PLACES:
		return add_places(archive, item);
	default:
		return 0;
	}
}

int archive_read_open(struct archive_read *archive, const struct reader *reader)
{
	int status = 0;

	*archive = (struct archive_read){ 0 };
	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct record_item *item = NULL;

		if (reader->segments[i].kind != RECORD_ANSWERS)
			continue;
		archive->is_there = true;
		while (!status && (item = reader_next(&reader->segments[i], item)))
			status = add_item(archive, item);
	}
	return status;
}

void archive_read_free(struct archive_read *archive)
{
	free(archive->texts);
	free(archive->files);
	free(archive->places);
	hash_free(&archive->by_name);
	hash_free(&archive->by_offset);
	*archive = (struct archive_read){ 0 };
}

uint32_t archive_read_file(const struct archive_read *archive, const char *path,
			   const struct build_id *id)
{
	const uint32_t *number;

	for (uint64_t key = key_of_file(path, id); (number = hash_find(&archive->by_name, key));
	     key++) {
		const struct record_file *file = archive->files[*number];
		struct build_id own = id_of(file);

		if (!is_made(file) && strcmp(file->path, path) == 0 && build_id_same(&own, id))
			return *number;
	}
	return ARCHIVE_READ_NONE;
}

uint32_t archive_read_made(const struct archive_read *archive, uint64_t maker)
{
	const uint32_t *number;

	for (uint64_t key = key_of_maker(maker); (number = hash_find(&archive->by_name, key));
	     key++)
		if (is_made(archive->files[*number]) && maker_of(archive->files[*number]) == maker)
			return *number;
	return ARCHIVE_READ_NONE;
}

/* Returns NULL if unknown. */
static const struct archive_read_place *find(const struct archive_read *archive, uint32_t file,
					     uint64_t offset)
{
	const uint32_t *number;

	for (uint64_t key = key_of_place(file, offset);
	     (number = hash_find(&archive->by_offset, key)); key++) {
		const struct archive_read_place *place = &archive->places[*number];

		if (place->file == file && place->places->offset == offset)
			return place;
	}
	return NULL;
}

static const char *text_of(const struct archive_read *archive, uint32_t number)
{
	return number < archive->text_count ? archive->texts[number] : NULL;
}

static struct place_frame frame_of(const struct archive_read *archive,
				   const struct record_place *record)
{
	return (struct place_frame){ .symbol = text_of(archive, record->symbol),
				     .start = record->start,
				     .source = text_of(archive, record->source),
				     .line = record->line };
}

/* Returns how many functions are nested; the plain result may follow them. */
static uint32_t depth_of(const struct archive_read_place *known)
{
	return known->count -
	       (known->count > 1 && known->places[known->count - 2].flags & RECORD_PLACE_PLAIN);
}

static void fill_inlined(const struct archive_read *archive, const struct archive_read_place *known,
			 struct place *place)
{
	place->depth = depth_of(known) < PLACE_DEPTH ? depth_of(known) : PLACE_DEPTH;
	for (size_t i = 0; i < place->depth; i++)
		place->frames[i] = frame_of(archive, &known->places[i]);
}

/* Stores the function that is really there, with the line of the code. */
static void fill_plain(const struct archive_read *archive, const struct archive_read_place *known,
		       struct place *place)
{
	uint32_t depth = depth_of(known);
	struct place_frame first = frame_of(archive, &known->places[0]);

	place->depth = 1;
	place->frames[0] = frame_of(archive, &known->places[known->count - 1]);
	if (depth < known->count)
		return;
	place->frames[0].source = first.source;
	place->frames[0].line = first.line;
}

void archive_read_find(const struct archive_read *archive, uint32_t file, uint64_t offset,
		       const struct elf_module_wish *wish, struct place *place)
{
	const struct archive_read_place *known = find(archive, file, offset);

	if (!known)
		return;
	place->address = known->places->address;
	if (wish->inlines)
		fill_inlined(archive, known, place);
	else
		fill_plain(archive, known, place);
	for (size_t i = 0; i < place->depth && !wish->lines; i++) {
		place->frames[i].source = NULL;
		place->frames[i].line = 0;
	}
}

bool archive_read_is_signal(const struct archive_read *archive, uint32_t file, uint64_t offset)
{
	const struct archive_read_place *known = find(archive, file, offset);

	return known && known->places->flags & RECORD_PLACE_SIGNAL;
}

const char *archive_read_package(const struct archive_read *archive, uint32_t file)
{
	return reader_second_text(archive->files[file]->path);
}
