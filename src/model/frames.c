/* SPDX-License-Identifier: MIT */
#include "model/frames.h"

#include <stdlib.h>

#include "base/vec.h"

/* What is in a process that the recording does not tell of. */
static const struct frame nowhere = { .until = UINT64_MAX, .function = FUNCTION_UNKNOWN };

int frames_init(struct frames *frames, struct functions *functions, const struct maps *maps,
		struct err *err)
{
	*frames = (struct frames){ .functions = functions, .maps = maps };
	frames->processes = calloc(maps->count + 1, sizeof(*frames->processes));
	return frames->processes ? 0 : err_no_memory(err);
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

	frame->from = found.from;
	frame->until = found.until;
	if (place->is_return)
		return functions_find_caller(frames->functions, &there, &frame->function,
					     &frame->is_signal, err);
	return functions_find(frames->functions, &there, &frame->function, err);
}

/* Adds one before the others of its address. */
static const struct frame *add(struct frames *frames, const struct frames_place *place,
			       uint32_t *first, struct err *err)
{
	struct frame *more = vec_room(frames->list, frames->count, sizeof(*more));
	struct frame frame = { .next = *first };

	if (!more || frames->count >= HASH_NONE) {
		err_no_memory(err);
		return NULL;
	}
	frames->list = more;
	if (resolve(frames, place, &frame, err))
		return NULL;
	*first = (uint32_t)frames->count;
	frames->list[frames->count] = frame;
	return &frames->list[frames->count++];
}

const struct frame *frames_find(struct frames *frames, const struct frames_place *place,
				struct err *err)
{
	struct frames_process *process;
	uint32_t *first;

	if (!place->process)
		return &nowhere;
	process = &frames->processes[place->process - frames->maps->processes];
	first = hash_place(place->is_return ? &process->returns : &process->pcs, place->address);
	if (!first) {
		err_no_memory(err);
		return NULL;
	}
	for (uint32_t i = *first; i != HASH_NONE; i = frames->list[i].next)
		if (frames->list[i].from <= place->time && place->time < frames->list[i].until)
			return &frames->list[i];
	return add(frames, place, first, err);
}
