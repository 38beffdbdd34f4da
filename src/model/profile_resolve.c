/* SPDX-License-Identifier: MIT */
#include "model/profile_resolve.h"

#include <stdlib.h>

#include "base/vec.h"

/* A stack while it is resolved. */
struct resolving {
	struct profile *profile;
	struct profile_stack stack;
	bool is_choosing; /* the user has chosen functions; and what of this stack was chosen: */
	bool is_focus, is_ignored;
};

/* A stack as it was recorded. */
struct addresses {
	uint64_t pcs[SAMPLED_DEPTH];
	uint32_t depth;
};

/* Room for so many frames more. */
static int make_room(struct profile *profile, size_t count, struct err *err)
{
	size_t room = profile->frame_room ? profile->frame_room : 1024;
	uint32_t *more;

	if (count > UINT32_MAX - profile->frame_count)
		return err_set(err, EINVAL, "the recording has more frames than make sense");
	while (room < profile->frame_count + count)
		room *= 2;
	if (room == profile->frame_room)
		return 0;
	more = realloc(profile->frames, room * sizeof(*more));
	if (!more)
		return err_no_memory(err);
	profile->frames = more;
	profile->frame_room = room;
	return 0;
}

static void add_frame(struct resolving *resolving, uint32_t number)
{
	struct profile *profile = resolving->profile;

	if (resolving->is_choosing) {
		const struct function *function =
			&profile->functions.list[profile_frame(profile, number)->function];

		resolving->is_focus = resolving->is_focus || function->is_focus;
		resolving->is_ignored = resolving->is_ignored || function->is_ignored;
		if (function->is_hidden)
			return;
	}
	profile->frames[profile->frame_count++] = number;
	resolving->stack.depth++;
}

/* A frame with all that it was inlined into. */
static int add_inlined(struct resolving *resolving, uint32_t number, struct err *err)
{
	struct profile *profile = resolving->profile;
	int status = 0;

	for (; number != HASH_NONE && !status; number = profile_frame(profile, number)->outer) {
		status = make_room(profile, 1, err);
		if (!status)
			add_frame(resolving, number);
	}
	return status;
}

/* The frames of a recorded stack. What dwell does there is not the program's: if it is the
 * innermost, it is all there is to say; else it is left out. */
static int add_frames(struct resolving *resolving, const struct addresses *record,
		      const struct profile_resolve_place *place, struct err *err)
{
	struct frames_place at = { .process = place->process, .time = place->time };
	int status = 0;

	for (uint32_t i = 0; i < record->depth && !status; i++) {
		const struct frame *frame;
		uint32_t number;

		at.address = record->pcs[i];
		status = frames_find(&resolving->profile->resolver, &at, &number, err);
		if (status)
			return status;
		frame = profile_frame(resolving->profile, number);
		if (resolving->stack.from < frame->from)
			resolving->stack.from = frame->from;
		if (resolving->stack.until > frame->until)
			resolving->stack.until = frame->until;
		at.is_return = !frame->is_signal;
		if (frame->function != FUNCTION_OVERHEAD || i == 0)
			status = add_inlined(resolving, number, err);
		if (i == 0 && frame->function == FUNCTION_OVERHEAD)
			break;
	}
	return status;
}

static int resolve(struct resolving *resolving, const struct addresses *record,
		   const struct profile_resolve_place *place, struct err *err)
{
	const struct functions_choice *choice = &resolving->profile->functions.choice;
	struct profile_stack *stack = &resolving->stack;
	int status;

	resolving->is_choosing = choice->focus || choice->ignore || choice->hide;
	if (record->depth)
		status = add_frames(resolving, record, place, err);
	else
		status = add_inlined(resolving, FRAME_NOWHERE, err);
	stack->is_left_out = resolving->is_ignored || (choice->focus && !resolving->is_focus);
	/* All of it is hidden. */
	if (stack->depth == 0)
		stack->is_left_out = true;
	return status;
}

static struct profile_stack *add(struct profile *profile, struct sampled_frame *frame,
				 const struct profile_resolve_place *place, struct err *err)
{
	struct profile_stack *more = vec_room(profile->stacks, profile->stack_count, sizeof(*more));
	struct resolving resolving = {
		.profile = profile,
		.stack = { .thread = place->thread,
			   .begin = (uint32_t)profile->frame_count,
			   .next = frame ? frame->first : HASH_NONE,
			   .until = UINT64_MAX,
			   .end = RECORD_STACK_BROKEN },
	};
	struct addresses record;

	if (!more || profile->stack_count >= HASH_NONE) {
		err_no_memory(err);
		return NULL;
	}
	profile->stacks = more;
	record.depth = sampled_stack(place->frames, frame, record.pcs, &resolving.stack.end);
	resolving.stack.has_callers = record.depth > 1;
	if (resolve(&resolving, &record, place, err))
		return NULL;
	if (frame)
		frame->first = (uint32_t)profile->stack_count;
	profile->stacks[profile->stack_count] = resolving.stack;
	return &profile->stacks[profile->stack_count++];
}

struct profile_stack *profile_resolve(struct profile *profile, struct sampled_frame *frame,
				      const struct profile_resolve_place *place, struct err *err)
{
	uint32_t i = frame ? frame->first : HASH_NONE;

	for (; i != HASH_NONE; i = profile->stacks[i].next) {
		struct profile_stack *known = &profile->stacks[i];

		if (known->thread == place->thread && known->from <= place->time &&
		    place->time < known->until)
			return known;
	}
	return add(profile, frame, place, err);
}
