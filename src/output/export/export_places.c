/* SPDX-License-Identifier: MIT */
#include "export_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void export_places_free(struct export_places *places)
{
	hash_free(&places->by_both);
	free(places->shifts);
	*places = (struct export_places){ 0 };
}

static bool is_same_file(const struct record_map *a, const struct record_map *b)
{
	return a->build_id_size == b->build_id_size && strcmp(a->path, b->path) == 0 &&
	       memcmp(a->build_id, b->build_id, sizeof(a->build_id)) == 0;
}

/* Returns a process's mapping of a frame's file that contains the frame: that of the frame itself,
 * or else the first. A child of fork() has its parent's too. NULL: none. */
static const struct record_map *find_map(const struct maps_process *process,
					 const struct frame *frame)
{
	uint64_t offset = frame->pc - frame->map->start + frame->map->offset;
	const struct record_map *first = NULL;

	for (; process; process = process->parent) {
		for (size_t i = 0; i < process->mapped.count; i++) {
			const struct record_map *map = process->mapped.events[i].map;

			if (map == frame->map)
				return map;
			if (!first && map && map->offset <= offset &&
			    offset - map->offset < map->end - map->start &&
			    is_same_file(map, frame->map))
				first = map;
		}
	}
	return first;
}

static uint64_t key_of(const struct maps_process *process, const struct record_map *map)
{
	return (uintptr_t)map ^ process->offset * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns what is known of a process and a mapping, which may be new; NULL: no memory. */
static struct place_shift *shift_of(struct export_places *places,
				    const struct maps_process *process, const struct frame *frame)
{
	const struct record_map *map;
	struct place_shift *more;
	uint32_t *place;

	for (uint64_t key = key_of(process, frame->map);; key++) {
		place = hash_place(&places->by_both, key);
		if (!place || *place == HASH_NONE)
			break;
		if (places->shifts[*place].process == process &&
		    places->shifts[*place].map == frame->map)
			return &places->shifts[*place];
	}
	more = place ? vec_room(places->shifts, places->count, sizeof(*more)) : NULL;
	if (!more)
		return NULL;
	places->shifts = more;
	*place = (uint32_t)places->count;
	map = find_map(process, frame);
	more[places->count] = (struct place_shift){ .process = process, .map = frame->map };
	if (map)
		more[places->count].bytes =
			map->start - map->offset - (frame->map->start - frame->map->offset);
	return &more[places->count++];
}

uint64_t export_place(struct export_places *places, const struct maps_process *process,
		      const struct frame *frame)
{
	const struct place_shift *shift =
		process && frame->map ? shift_of(places, process, frame) : NULL;

	return frame->pc + (shift ? shift->bytes : 0);
}
