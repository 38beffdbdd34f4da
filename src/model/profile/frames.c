/* SPDX-License-Identifier: MIT */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Stands for the file of a map that has none. */
#define FRAMES_NO_FILE (HASH_NONE - 1)

int frames_init(struct frames *frames, struct functions *functions, const struct maps *maps,
		struct err *err)
{
	*frames = (struct frames){ .functions = functions, .maps = maps };
	frames->processes = calloc(maps->count + 1, sizeof(*frames->processes));
	frames->list = vec_room(NULL, 0, sizeof(*frames->list));
	if (!frames->processes || !frames->list) {
		frames_fini(frames);
		return err_no_memory(err);
	}
	frames->list[frames->count++] = (struct frame){ .function = FUNCTION_UNKNOWN,
							.outer = HASH_NONE,
							.next = HASH_NONE };
	return 0;
}

static void space_free(struct frames_space *space)
{
	hash_free(&space->pcs);
	hash_free(&space->returns);
}

void frames_fini(struct frames *frames)
{
	for (size_t i = 0; frames->processes && i < frames->maps->count; i++)
		space_free(&frames->processes[i]);
	for (size_t i = 0; i < frames->file_count; i++)
		space_free(&frames->files[i]);
	free(frames->processes);
	free(frames->files);
	hash_free(&frames->by_map);
	free(frames->list);
	*frames = (struct frames){ 0 };
}

static int append(struct frames *frames, const struct frame *frame, struct err *err)
{
	struct frame *more = vec_room(frames->list, frames->count, sizeof(*more));

	if (!more || frames->count >= HASH_NONE)
		return err_no_memory(err);
	frames->list = more;
	frames->list[frames->count++] = *frame;
	return 0;
}

static int look_up(struct frames *frames, const struct frames_place *place,
		   const struct maps_found *map, struct functions_found *found, struct err *err)
{
	const struct maps_process *process = place->process;
	struct functions_place there = {
		.address = place->address,
		.map = map->map,
		.script = map->script,
		.maker = (uint64_t)process->run << 32 | process->process->pid,
		.is_elsewhere = process->is_elsewhere,
	};

	return place->is_return ? functions_find_caller(frames->functions, &there, found, err)
				: functions_find(frames->functions, &there, found, err);
}

/* Returns true for code that CPython makes for a function with -X perf, if the function itself is
 * in stacks. */
static bool is_trampoline(const struct frames *frames, const struct maps_process *process,
			  uint32_t function)
{
	static const char start[] = "py::";
	const struct function *made = &frames->functions->list[function];

	return process->has_scripts && !made->file && made->symbol &&
	       strncmp(made->symbol, start, sizeof(start) - 1) == 0;
}

/* Adds the frames of an address, the innermost first, which is linked before the others of its
 * address. */
static int add(struct frames *frames, const struct frames_place *place,
	       const struct maps_found *map, uint32_t *first, struct err *err)
{
	uint32_t next = *first, number = (uint32_t)frames->count;
	struct functions_found found;
	int status = look_up(frames, place, map, &found, err);

	for (size_t i = 0; !status && i < found.depth; i++) {
		bool is_last = i + 1 == found.depth;
		struct frame frame = {
			.map = map->map,
			.script = map->script,
			.pc = place->address - (place->is_return && !found.is_signal),
			.address = found.address,
			.source = found.frames[i].source,
			.line = found.frames[i].line,
			.function = found.frames[i].number,
			.outer = is_last ? HASH_NONE : (uint32_t)frames->count + 1,
			.next = i == 0 ? next : HASH_NONE,
			.is_signal = found.is_signal,
			.is_script = frame_is_script(place->address),
			.is_trampoline =
				is_trampoline(frames, place->process, found.frames[i].number),
		};

		status = append(frames, &frame, err);
	}
	if (!status)
		*first = number;
	return status;
}

/* Adds spaces up to that of a file. */
static int add_file(struct frames *frames, size_t number, struct err *err)
{
	struct frames_space *more;

	for (; frames->file_count <= number; frames->file_count++) {
		more = vec_room(frames->files, frames->file_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		frames->files = more;
		more[frames->file_count] = (struct frames_space){ 0 };
	}
	return 0;
}

/* Finds the number of a map's file, or FRAMES_NO_FILE. */
static int find_file(struct frames *frames, const struct record_map *map, uint32_t *number,
		     struct err *err)
{
	uint32_t *place = map ? hash_place(&frames->by_map, (uintptr_t)map) : NULL;
	const struct symbolizer_object *file;
	int status = 0;

	*number = FRAMES_NO_FILE;
	if (!map)
		return 0;
	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		status = functions_file(frames->functions, map, &file, err);
		if (!status && file)
			status = add_file(frames, file->number, err);
		if (!status)
			*place = file ? (uint32_t)file->number : FRAMES_NO_FILE;
	}
	*number = *place;
	return status;
}

int frames_find(struct frames *frames, const struct frames_place *place, struct frames_found *found,
		struct err *err)
{
	struct frames_space *space;
	struct maps_found map;
	uint64_t key = place->address;
	uint32_t *first, file;
	int status;

	*found = (struct frames_found){ .number = FRAME_NOWHERE, .until = UINT64_MAX };
	if (!place->process)
		return 0;
	/* The call may be the last instruction of a mapping; return addresses are one behind. */
	map = maps_find(place->process, place->address - place->is_return, place->time);
	found->from = map.from;
	found->until = map.until;
	status = find_file(frames, map.map, &file, err);
	if (status)
		return status;
	space = &frames->processes[place->process - frames->maps->processes];
	if (file != FRAMES_NO_FILE) {
		space = &frames->files[file];
		key += map.map->offset - map.map->start;
	}
	first = hash_place(place->is_return ? &space->returns : &space->pcs, key);
	if (!first)
		return err_no_memory(err);
	for (uint32_t i = *first; i != HASH_NONE; i = frames->list[i].next) {
		if (file != FRAMES_NO_FILE ||
		    (frames->list[i].map == map.map && frames->list[i].script == map.script)) {
			found->number = i;
			return 0;
		}
	}
	status = add(frames, place, &map, first, err);
	found->number = *first;
	return status;
}
