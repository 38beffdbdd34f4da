/* SPDX-License-Identifier: MIT */
#include "draft_place.h"

#include <string.h>

#include "base/vec.h"

/* Places without an address: each object has a part of the addresses from here on, and offsets in
 * its file that no file has. A script's addresses begin above. */
#define PLACES_START  (UINT64_C(1) << 60)
#define PLACES_SPAN   (UINT64_C(1) << 34)
#define PLACES_OFFSET (UINT64_C(1) << 48)
#define OBJECTS_MAX   (1u << 20)

/* A return address is one behind the call, so places are two apart. */
#define PLACE_STEP 2

void draft_place_free(struct draft *draft)
{
	free(draft->objects);
	hash_free(&draft->by_object);
	match_table_free(&draft->texts);
	match_table_free(&draft->places);
	match_table_free(&draft->named);
	free(draft->key.bytes);
	free(draft->addresses);
	free(draft->starts);
}

int draft_object(struct draft *draft, const char *path, const struct build_id *id, uint32_t *object,
		 struct err *err)
{
	struct symbolizer_object *file = symbolizer_object(&draft->functions.symbolizer, path, id);
	uint32_t *place = file ? hash_place(&draft->by_object, file->number) : NULL;
	struct draft_object *more;

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		if (draft->object_count >= OBJECTS_MAX)
			return err_set(err, E2BIG, "more than %u objects are not supported",
				       OBJECTS_MAX);
		more = vec_room(draft->objects, draft->object_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		draft->objects = more;
		*place = (uint32_t)draft->object_count++;
		more[*place] = (struct draft_object){ .file = file };
	}
	*object = *place;
	return 0;
}

/* Returns a text that stays, the same for equal ones; NULL: no memory. */
static const char *keep_text(struct draft *draft, const char *text, uint32_t *number)
{
	if (match_number(&draft->texts, text, strlen(text) + 1, number))
		return NULL;
	return draft->texts.keys[*number].bytes;
}

/* Finds the start of a function: by which functions are told apart, so it is the first place at
 * which it was seen. */
static int find_start(struct draft *draft, uint32_t object, uint32_t text, uint64_t address,
		      uint64_t *start)
{
	uint32_t key[] = { object, text }, number;
	size_t known = draft->named.count;
	uint64_t *more;

	if (match_number(&draft->named, key, sizeof(key), &number))
		return -ENOMEM;
	if (draft->named.count > known) {
		more = vec_room(draft->starts, known, sizeof(*more));
		if (!more)
			return -ENOMEM;
		draft->starts = more;
		more[number] = address;
	}
	*start = draft->starts[number];
	return 0;
}

static int fill(struct draft *draft, uint32_t object, const struct draft_frame *frame,
		uint64_t address, struct place_frame *into)
{
	uint32_t text;

	*into = (struct place_frame){ .line = frame->line };
	into->symbol = keep_text(draft, frame->name, &text);
	if (!into->symbol || find_start(draft, object, text, address, &into->start))
		return -ENOMEM;
	if (*frame->source)
		into->source = keep_text(draft, frame->source, &text);
	return *frame->source && !into->source ? -ENOMEM : 0;
}

int draft_place_at(struct draft *draft, uint32_t object, uint64_t offset,
		   const struct draft_frame *frames, size_t count, struct err *err)
{
	struct symbolizer_object *file = draft->objects[object].file;
	struct place place = { .address = offset };
	struct place_frame plain;

	/* The symbolizer keeps it. */
	if (count == 0)
		return symbolizer_find(&draft->functions.symbolizer, file, offset, &place)
			       ? err_no_memory(err)
			       : 0;
	/* Like those of a file, outer functions beyond the limit are left out. */
	for (; place.depth < count && place.depth < PLACE_DEPTH; place.depth++)
		if (fill(draft, object, &frames[place.depth], offset, &place.frames[place.depth]))
			return err_no_memory(err);
	file->state = SYMBOLIZER_OPEN;
	file->is_full = true;
	plain = *place_function(&place);
	plain.source = place.frames[0].source;
	plain.line = place.frames[0].line;
	return archive_write_keep(&draft->names, file, offset, &place, &plain) ? err_no_memory(err)
									       : 0;
}

/* Finds the number of a place. Its key is a list of items, as these have a size and a number: the
 * object, then the line and the texts of each frame. */
static int number_of(struct draft *draft, uint32_t object, const struct draft_frame *frames,
		     size_t count, uint32_t *number)
{
	struct item_list *key = &draft->key;
	struct record_item *item;

	key->size = 0;
	if (!item_list_add(key, object, sizeof(*item)))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		size_t texts = strlen(frames[i].name) + strlen(frames[i].source) + 2;

		item = item_list_add(key, frames[i].line, sizeof(*item) + texts);
		if (!item)
			return -ENOMEM;
		strcpy(stpcpy((char *)(item + 1), frames[i].name) + 1, frames[i].source);
	}
	return match_number(&draft->places, key->bytes, key->size, number);
}

int draft_place(struct draft *draft, uint32_t object, const struct draft_frame *frames,
		size_t count, uint64_t *address, struct err *err)
{
	size_t known = draft->places.count;
	struct draft_object *of = &draft->objects[object];
	uint64_t *more, at;
	uint32_t number;

	if (number_of(draft, object, frames, count, &number))
		return err_no_memory(err);
	if (draft->places.count == known) {
		*address = draft->addresses[number];
		return 0;
	}
	more = vec_room(draft->addresses, known, sizeof(*more));
	if (!more)
		return err_no_memory(err);
	draft->addresses = more;
	at = (uint64_t)PLACE_STEP * of->places++;
	*address = more[number] = PLACES_START + object * PLACES_SPAN + at;
	return draft_place_at(draft, object, PLACES_OFFSET + at, frames, count, err);
}

int draft_place_maps(struct draft *draft, uint32_t process, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < draft->object_count && !status; i++) {
		const struct draft_object *object = &draft->objects[i];
		uint64_t start = PLACES_START + i * PLACES_SPAN;
		struct record_map map = { .start = start,
					  .end = start + PLACES_SPAN,
					  .offset = PLACES_OFFSET,
					  .build_id_size = (uint32_t)object->file->id.size };

		memcpy(map.build_id, object->file->id.bytes, object->file->id.size);
		if (object->places)
			status = draft_map(draft, process, &map, object->file->path, err);
	}
	return status;
}
