/* SPDX-License-Identifier: MIT */
#include "model/frames.h"

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

static int resolve(struct frames *frames, const struct frames_place *place, struct frame *frame,
		   struct err *err)
{
	/* The call may be the last instruction of what is mapped; return addresses are one behind.
	 */
	struct maps_found found =
		maps_find(place->process, place->address - place->is_return, place->time);
	struct functions_place there = { .address = place->address,
					 .map = found.map,
					 .pid = place->process->process->pid };
	struct functions_found function;
	int status = place->is_return
			     ? functions_find_caller(frames->functions, &there, &function, err)
			     : functions_find(frames->functions, &there, &function, err);

	frame->from = found.from;
	frame->until = found.until;
	frame->map = found.map;
	frame->function = function.number;
	frame->address = function.address;
	frame->is_signal = function.is_signal;
	return status;
}

/* Adds one before the others of its address. */
static int add(struct frames *frames, const struct frames_place *place, uint32_t *first,
	       struct err *err)
{
	struct frame *more = vec_room(frames->list, frames->count, sizeof(*more));
	struct frame frame = { .outer = HASH_NONE, .next = *first };
	int status;

	if (!more || frames->count >= HASH_NONE)
		return err_no_memory(err);
	frames->list = more;
	status = resolve(frames, place, &frame, err);
	if (status)
		return status;
	*first = (uint32_t)frames->count;
	frames->list[frames->count++] = frame;
	return 0;
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
