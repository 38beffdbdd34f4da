/* SPDX-License-Identifier: MIT */
#include "perf_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/profile/maps.h"

void perf_places_free(struct perf_places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		free(places->spaces[i].list);
		hash_free(&places->spaces[i].done);
	}
	free(places->spaces);
}

struct perf_space *perf_places_space(struct perf_places *places, uint32_t process)
{
	for (; places->count <= process; places->count++) {
		struct perf_space *more = vec_room(places->spaces, places->count, sizeof(*more));

		if (!more)
			return NULL;
		places->spaces = more;
		more[places->count] = (struct perf_space){ 0 };
	}
	return &places->spaces[process];
}

static int add(struct perf_space *space, const struct perf_mapped *mapped, struct err *err)
{
	struct perf_mapped *more = vec_room(space->list, space->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	space->list = more;
	more[space->count++] = *mapped;
	/* Addresses may mean something else now. */
	hash_free(&space->done);
	return 0;
}

int perf_places_map(struct perf_places *places, uint32_t process, const struct record_map *map,
		    const char *path, struct err *err)
{
	struct perf_space *space = perf_places_space(places, process);
	struct perf_mapped mapped = {
		.start = map->start, .end = map->end, .offset = map->offset, .object = HASH_NONE
	};
	struct build_id id = { .size = map->build_id_size };
	int status = 0;

	if (!space)
		return err_no_memory(err);
	memcpy(id.bytes, map->build_id, map->build_id_size);
	if (maps_is_path(path))
		status = draft_object(places->draft, path, &id, &mapped.object, err);
	if (!status)
		status = add(space, &mapped, err);
	return status ? status : draft_map(places->draft, process, map, path, err);
}

int perf_places_inherit(struct perf_places *places, uint32_t process, uint32_t parent,
			struct err *err)
{
	struct perf_space *space = perf_places_space(places, process > parent ? process : parent);
	int status = space ? 0 : err_no_memory(err);

	for (size_t i = 0; !status && i < places->spaces[parent].count; i++)
		status = add(&places->spaces[process], &places->spaces[parent].list[i], err);
	return status;
}

static const struct perf_mapped *find(const struct perf_space *space, uint64_t address)
{
	for (size_t i = space->count; i; i--)
		if (space->list[i - 1].start <= address && address < space->list[i - 1].end)
			return &space->list[i - 1];
	return NULL;
}

/* Keeps the name at an address of a file, and whether a signal handler returns there. */
static int name_file(struct perf_places *places, const struct perf_mapped *mapped, uint64_t address,
		     bool is_return, struct err *err)
{
	struct symbolizer *symbolizer = &places->draft->functions.symbolizer;
	struct symbolizer_object *file = places->draft->objects[mapped->object].file;
	uint64_t offset = address - mapped->start + mapped->offset;
	bool is_signal = false;

	if (is_return && symbolizer_is_signal_frame(symbolizer, file, offset, &is_signal))
		return err_no_memory(err);
	if (is_signal)
		return 0;
	return draft_place_at(places->draft, mapped->object, offset - is_return, NULL, 0, err);
}

/* Keeps the name of code that a process made itself. */
static int name_made(struct perf_places *places, uint32_t process, uint64_t address,
		     struct err *err)
{
	const struct draft_process *of = &places->draft->processes[process];
	struct place place;

	return symbolizer_find_jit(&places->draft->functions.symbolizer,
				   (uint64_t)of->run << 32 | of->pid, address, &place)
		       ? err_no_memory(err)
		       : 0;
}

int perf_places_find(struct perf_places *places, uint32_t process, uint64_t address, bool is_return,
		     uint64_t *place, struct err *err)
{
	struct perf_space *space = perf_places_space(places, process);
	uint32_t *done = space ? hash_place(&space->done, address << 1 | is_return) : NULL;
	const struct perf_mapped *mapped;

	if (!done)
		return err_no_memory(err);
	*place = address - is_return;
	if (*done != HASH_NONE)
		return 0;
	*done = 0;
	mapped = find(space, address - is_return);
	if (mapped && mapped->object != HASH_NONE)
		return name_file(places, mapped, address, is_return, err);
	return name_made(places, process, address - is_return, err);
}

int perf_places_find_kernel(struct perf_places *places, uint64_t address, uint64_t *place,
			    struct err *err)
{
	static const struct build_id none;
	const char *name = perf_kernel_name(places->kernel, address);
	struct draft_frame frame = { .name = name ? name : "[kernel]", .source = "" };
	uint32_t object;
	int status = draft_object(places->draft, "[kernel]", &none, &object, err);

	return status ? status : draft_place(places->draft, object, &frame, 1, place, err);
}
