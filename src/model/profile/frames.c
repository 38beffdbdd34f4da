/* SPDX-License-Identifier: MIT */
#include "frames.h"

#include <stdlib.h>

#include "base/vec.h"

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
	frames->list[frames->count++] = (struct frame){ .until = UINT64_MAX,
							.function = FUNCTION_UNKNOWN,
							.outer = HASH_NONE,
							.next = HASH_NONE };
	return 0;
}

void frames_fini(struct frames *frames)
{
	for (size_t i = 0; frames->processes && i < frames->maps->count; i++) {
		hash_free(&frames->processes[i].pcs);
		hash_free(&frames->processes[i].returns);
	}
	free(frames->processes);
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
		.maker = (uint64_t)process->run << 32 | process->process->pid,
		.is_elsewhere = process->is_elsewhere,
	};

	return place->is_return ? functions_find_caller(frames->functions, &there, found, err)
				: functions_find(frames->functions, &there, found, err);
}

/* Adds the frames of an address, the innermost first, which is linked before the others of its
 * address. */
static int add(struct frames *frames, const struct frames_place *place, uint32_t *first,
	       struct err *err)
{
	/* The call may be the last instruction of a mapping; return addresses are one behind.
	 */
	struct maps_found map =
		maps_find(place->process, place->address - place->is_return, place->time);
	uint32_t next = *first, number = (uint32_t)frames->count;
	struct functions_found found;
	int status = look_up(frames, place, &map, &found, err);

	for (size_t i = 0; !status && i < found.depth; i++) {
		bool is_last = i + 1 == found.depth;
		struct frame frame = {
			.from = map.from,
			.until = map.until,
			.map = map.map,
			.pc = place->address - (place->is_return && !found.is_signal),
			.address = found.address,
			.source = found.frames[i].source,
			.line = found.frames[i].line,
			.function = found.frames[i].number,
			.outer = is_last ? HASH_NONE : (uint32_t)frames->count + 1,
			.next = i == 0 ? next : HASH_NONE,
			.is_signal = found.is_signal,
		};

		status = append(frames, &frame, err);
	}
	if (!status)
		*first = number;
	return status;
}

int frames_find(struct frames *frames, const struct frames_place *place, uint32_t *number,
		struct err *err)
{
	struct frames_process *process;
	uint32_t *first;
	int status;

	*number = FRAME_NOWHERE;
	if (!place->process)
		return 0;
	process = &frames->processes[place->process - frames->maps->processes];
	first = hash_place(place->is_return ? &process->returns : &process->pcs, place->address);
	if (!first)
		return err_no_memory(err);
	for (uint32_t i = *first; i != HASH_NONE; i = frames->list[i].next) {
		if (frames->list[i].from <= place->time && place->time < frames->list[i].until) {
			*number = i;
			return 0;
		}
	}
	status = add(frames, place, first, err);
	*number = *first;
	return status;
}
