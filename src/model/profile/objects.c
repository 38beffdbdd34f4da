/* SPDX-License-Identifier: MIT */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static int add(struct profile_objects *objects, struct profile_object object, struct err *err)
{
	struct profile_object *more = vec_room(objects->list, objects->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	objects->list = more;
	objects->list[objects->count++] = object;
	return 0;
}

/* Adds an item, if it is of an object. Objects of calls have no build-id. */
static int add_item(struct profile_objects *objects, const struct record_item *item,
		    struct err *err)
{
	const struct record_map *map = (const struct record_map *)item;
	struct profile_object object = { 0 };

	if (item->kind == RECORD_OBJECT) {
		object.path = ((const struct record_object *)item)->text;
	} else if (item->kind == RECORD_MAP) {
		object.path = map->path;
		object.id.size = map->build_id_size;
		memcpy(object.id.bytes, map->build_id, map->build_id_size);
	}
	/* Code not executed from a file is not an object: "[anon]" and the like. */
	if (!object.path || (*object.path != '/' && !object.id.size))
		return 0;
	return add(objects, object, err);
}

/* Sorts those with a build-id first, so that one without is not a second one. */
static int compare(const void *left, const void *right)
{
	const struct profile_object *a = left, *b = right;
	int order = strcmp(a->path, b->path);

	if (order)
		return order;
	if (a->id.size != b->id.size)
		return a->id.size > b->id.size ? -1 : 1;
	return memcmp(a->id.bytes, b->id.bytes, a->id.size);
}

static bool is_same(const struct profile_object *a, const struct profile_object *b)
{
	return strcmp(a->path, b->path) == 0 && (!b->id.size || build_id_same(&a->id, &b->id));
}

static void drop_doubles(struct profile_objects *objects)
{
	size_t kept = 0;

	if (objects->count)
		qsort(objects->list, objects->count, sizeof(*objects->list), compare);
	for (size_t i = 0; i < objects->count; i++)
		if (kept == 0 || !is_same(&objects->list[kept - 1], &objects->list[i]))
			objects->list[kept++] = objects->list[i];
	objects->count = kept;
}

int objects_read(struct profile_objects *objects, const struct reader *reader, struct err *err)
{
	int status = 0;

	*objects = (struct profile_objects){ 0 };
	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct record_item *item = NULL;

		while (!status && (item = reader_next(&reader->segments[i], item)))
			status = add_item(objects, item, err);
	}
	if (status)
		objects_free(objects);
	else
		drop_doubles(objects);
	return status;
}

void objects_free(struct profile_objects *objects)
{
	free(objects->list);
	*objects = (struct profile_objects){ 0 };
}
