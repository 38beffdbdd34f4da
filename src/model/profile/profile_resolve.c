/* SPDX-License-Identifier: MIT */
#include "profile_resolve.h"

#include <stdlib.h>

#include "base/vec.h"
#include "profile_nodes.h"

/* The meaning of a recorded frame that has called another, with all of its callers, in a span of
 * time.
 */
struct profile_known {
	uint64_t from, until;
	uint32_t node, depth;
	bool is_focus, is_ignored; /* it has functions chosen by the user */
};

/* A recorded frame whose callers are not known yet. */
struct step {
	struct sampled_frame *frame;
	uint32_t number; /* of the resolver's frame */
	bool is_return;
};

void profile_resolving_free(struct profile_resolving *resolving)
{
	free(resolving->known);
	*resolving = (struct profile_resolving){ 0 };
}

static int add_frame(struct profile_resolving *resolving, struct profile_known *known,
		     uint32_t number, struct err *err)
{
	struct profile *profile = resolving->profile;
	const struct function *function =
		&profile->functions.list[profile_frame(profile, number)->function];

	known->is_focus = known->is_focus || function->is_focus;
	known->is_ignored = known->is_ignored || function->is_ignored;
	if (function->is_hidden)
		return 0;
	known->depth++;
	return prefix_tree_find(&profile->tree, known->node, number, &known->node)
		       ? err_no_memory(err)
		       : 0;
}

/* Adds a frame with all that it was inlined into, which calls it. */
static int add_inlined(struct profile_resolving *resolving, struct profile_known *known,
		       uint32_t number, struct err *err)
{
	uint32_t inlined[PLACE_DEPTH];
	size_t count = 0;
	int status = 0;

	for (; number != HASH_NONE; number = profile_frame(resolving->profile, number)->outer)
		inlined[count++] = number;
	while (count && !status)
		status = add_frame(resolving, known, inlined[--count], err);
	return status;
}

/* Replaces what is known about a frame at another time. */
static int keep(struct profile_resolving *resolving, const struct step *step,
		const struct profile_known *known, struct err *err)
{
	uint32_t *place = &step->frame->known[step->is_return];
	struct profile_known *more;

	if (*place == HASH_NONE) {
		more = vec_room(resolving->known, resolving->count, sizeof(*more));
		if (!more || resolving->count >= HASH_NONE)
			return err_no_memory(err);
		resolving->known = more;
		*place = (uint32_t)resolving->count++;
	}
	resolving->known[*place] = *known;
	return 0;
}

static void narrow(struct profile_known *known, const struct frame *frame)
{
	if (known->from < frame->from)
		known->from = frame->from;
	if (known->until > frame->until)
		known->until = frame->until;
}

/* Goes from the known callers to the innermost frame. Leaves out dwell's own code among callers,
 * which is not the program's. */
static int go_inwards(struct profile_resolving *resolving, const struct step *steps, size_t count,
		      struct profile_known *known, struct err *err)
{
	int status = 0;

	while (count && !status) {
		const struct step *step = &steps[--count];
		const struct frame *frame = profile_frame(resolving->profile, step->number);

		narrow(known, frame);
		if (frame->function != FUNCTION_OVERHEAD)
			status = add_inlined(resolving, known, step->number, err);
		/* The innermost is never needed again: its stack is stored. */
		if (!status && count)
			status = keep(resolving, step, known, err);
	}
	return status;
}

/* Returns what is already known about a frame at a time; NULL: nothing. */
static const struct profile_known *recall(const struct profile_resolving *resolving,
					  const struct sampled_frame *frame, bool is_return,
					  uint64_t time)
{
	uint32_t place = frame->known[is_return];
	const struct profile_known *known = place == HASH_NONE ? NULL : &resolving->known[place];

	return known && known->from <= time && time < known->until ? known : NULL;
}

/* Follows a stack outwards, up to a frame that is known at that time. */
static int follow(struct profile_resolving *resolving, struct sampled_frame *frame,
		  const struct profile_resolve_place *place, struct profile_known *known,
		  struct err *err)
{
	struct frames_place at = { .process = place->process, .time = place->time };
	struct step steps[SAMPLED_DEPTH];
	const struct profile_known *recalled = NULL;
	size_t count = 0;

	for (; frame; frame = sampled_caller(place->frames, frame)) {
		struct step *step = &steps[count];
		const struct frame *found;
		int status;

		if (count)
			recalled = recall(resolving, frame, at.is_return, place->time);
		if (recalled)
			break;
		*step = (struct step){ .frame = frame, .is_return = at.is_return };
		at.address = sampled_address(frame);
		status = frames_find(&resolving->profile->resolver, &at, &step->number, err);
		if (status)
			return status;
		found = profile_frame(resolving->profile, step->number);
		/* As the innermost, it stands for the whole stack. */
		if (count == 0 && found->function == FUNCTION_OVERHEAD) {
			narrow(known, found);
			return add_inlined(resolving, known, step->number, err);
		}
		at.is_return = !found->is_signal;
		count++;
	}
	if (recalled)
		*known = *recalled;
	return go_inwards(resolving, steps, count, known, err);
}

static struct profile_stack *add(struct profile_resolving *resolving, struct sampled_frame *frame,
				 const struct profile_resolve_place *place, struct err *err)
{
	struct profile *profile = resolving->profile;
	struct profile_stack *more = vec_room(profile->stacks, profile->stack_count, sizeof(*more));
	struct profile_known known = { .until = UINT64_MAX, .node = PROFILE_ROOT };
	bool has_focus = profile->functions.choice.focus;

	if (!more || profile->stack_count >= HASH_NONE) {
		err_no_memory(err);
		return NULL;
	}
	profile->stacks = more;
	if (frame ? follow(resolving, frame, place, &known, err)
		  : add_inlined(resolving, &known, FRAME_NOWHERE, err))
		return NULL;
	more = &profile->stacks[profile->stack_count];
	*more = (struct profile_stack){
		.thread = place->thread,
		.node = known.node,
		.depth = known.depth,
		.next = frame ? frame->first : HASH_NONE,
		.from = known.from,
		.until = known.until,
		.is_left_out = known.is_ignored || (has_focus && !known.is_focus) || !known.depth,
		.has_callers = frame && sampled_depth(place->frames, frame) > 1,
		.end = frame ? sampled_end(place->frames, frame) : RECORD_STACK_BROKEN,
	};
	if (frame)
		frame->first = (uint32_t)profile->stack_count;
	profile->stack_count++;
	return more;
}

struct profile_stack *profile_resolve(struct profile_resolving *resolving,
				      struct sampled_frame *frame,
				      const struct profile_resolve_place *place, struct err *err)
{
	struct profile *profile = resolving->profile;
	uint32_t i = frame ? frame->first : HASH_NONE;

	for (; i != HASH_NONE; i = profile->stacks[i].next) {
		struct profile_stack *known = &profile->stacks[i];

		if (known->thread == place->thread && known->from <= place->time &&
		    place->time < known->until)
			return known;
	}
	return add(resolving, frame, place, err);
}
