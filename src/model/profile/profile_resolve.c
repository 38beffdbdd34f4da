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
	bool is_script;            /* the frame itself is one */
	bool is_overhead;          /* of dwell, which has no callers: nothing is missing */
};

/* The time in which the addresses of a stack mean its functions. */
struct profile_span {
	uint64_t from, until;
	uint32_t next; /* stack of the same recorded frame; HASH_NONE: none */
};

/* A recorded frame whose callers are not known yet. */
struct step {
	struct sampled_frame *frame;
	struct frames_found found; /* the resolver's */
	bool is_return;
};

void profile_resolving_clear(struct profile_resolving *resolving)
{
	free(resolving->known);
	free(resolving->spans);
	*resolving = (struct profile_resolving){ .profile = resolving->profile,
						 .scripts = resolving->scripts,
						 .first = resolving->profile->stack_count };
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

static void narrow(struct profile_known *known, const struct frames_found *found)
{
	if (known->from < found->from)
		known->from = found->from;
	if (known->until > found->until)
		known->until = found->until;
}

/* Returns true if a frame is part of the stack, given what is known about its caller. A native
 * frame that a script's frame calls is the one that runs it, and a trampoline only calls it.
 * dwell's own code is not the program's. */
static bool is_shown(const struct profile_resolving *resolving, const struct frame *frame,
		     const struct profile_known *caller)
{
	if (frame->function == FUNCTION_OVERHEAD)
		return false;
	switch (resolving->scripts) {
	case PROFILE_SCRIPTS_NONE:
		return !frame->is_script;
	case PROFILE_SCRIPTS_ALONE:
		return frame->is_script;
	default:
		return frame->is_script || !(caller->is_script || frame->is_trampoline);
	}
}

/* Goes from the known callers to the innermost frame. Leaves out frames that are not to be
 * shown. */
static int go_inwards(struct profile_resolving *resolving, const struct step *steps, size_t count,
		      struct profile_known *known, struct err *err)
{
	int status = 0;

	while (count && !status) {
		const struct step *step = &steps[--count];
		uint32_t number = step->found.number;

		narrow(known, &step->found);
		if (is_shown(resolving, profile_frame(resolving->profile, number), known))
			status = add_inlined(resolving, known, number, err);
		known->is_script = profile_frame(resolving->profile, number)->is_script;
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

/* Returns the name of the region that a frame stands for, which the innermost never does; NULL: it
 * is of code. */
static const char *region_of(const struct profile_resolve_place *place,
			     const struct sampled_frame *frame)
{
	return maps_region(place->process, sampled_address(frame));
}

/* Returns true for the outermost function of the kernel: the program did not call it, and the next
 * address is the one where it was interrupted, or behind its system call. */
static bool is_entry(const struct sampled_process *frames, struct sampled_frame *frame)
{
	const struct sampled_frame *caller = sampled_caller(frames, frame);

	return frame_is_kernel(sampled_address(frame)) && caller &&
	       !frame_is_kernel(sampled_address(caller));
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

	for (; frame && !(count && region_of(place, frame));
	     frame = sampled_caller(place->frames, frame)) {
		struct step *step = &steps[count];
		const struct frame *innermost;
		int status;

		if (count)
			recalled = recall(resolving, frame, at.is_return, place->time);
		if (recalled)
			break;
		*step = (struct step){ .frame = frame, .is_return = at.is_return };
		at.address = sampled_address(frame);
		status = frames_find(&resolving->profile->resolver, &at, &step->found, err);
		if (status)
			return status;
		innermost = profile_frame(resolving->profile, step->found.number);
		/* As the innermost, it stands for the whole stack. */
		if (count == 0 && innermost->function == FUNCTION_OVERHEAD) {
			narrow(known, &step->found);
			known->is_overhead = true;
			return resolving->scripts == PROFILE_SCRIPTS_ALONE
				       ? 0
				       : add_inlined(resolving, known, step->found.number, err);
		}
		at.is_return = !innermost->is_signal && !is_entry(place->frames, frame);
		count++;
	}
	if (recalled)
		*known = *recalled;
	return go_inwards(resolving, steps, count, known, err);
}

/* Finds the regions of a stack, and how many of its frames stand for one: its outermost. */
static int find_regions(struct profile_resolving *resolving, struct sampled_frame *frame,
			const struct profile_resolve_place *place, uint32_t *region,
			uint32_t *count, struct err *err)
{
	struct sampled_frame *steps[SAMPLED_DEPTH];
	int status = 0;

	*region = PROFILE_REGIONS_NONE;
	*count = 0;
	if (!frame || !place->process || !place->process->regions)
		return 0;
	while ((frame = sampled_caller(place->frames, frame)))
		if (*count || region_of(place, frame))
			steps[(*count)++] = frame;
	for (uint32_t i = *count; i-- && !status;) {
		const char *name = region_of(place, steps[i]);

		status = profile_regions_find(&resolving->profile->regions, *region,
					      name ? name : "?", region, err);
	}
	return status;
}

/* Makes room for a stack and its span. */
static int make_room(struct profile_resolving *resolving, struct err *err)
{
	struct profile *profile = resolving->profile;
	struct profile_stack *stacks =
		vec_room(profile->stacks, profile->stack_count, sizeof(*stacks));
	struct profile_span *spans =
		vec_room(resolving->spans, profile->stack_count - resolving->first, sizeof(*spans));

	profile->stacks = stacks ? stacks : profile->stacks;
	resolving->spans = spans ? spans : resolving->spans;
	return stacks && spans && profile->stack_count < HASH_NONE ? 0 : err_no_memory(err);
}

static struct profile_stack *add(struct profile_resolving *resolving, struct sampled_frame *frame,
				 const struct profile_resolve_place *place, struct err *err)
{
	struct profile *profile = resolving->profile;
	struct profile_known known = { .until = UINT64_MAX, .node = PROFILE_ROOT };
	bool has_focus = profile->functions.choice.focus;
	struct profile_stack *stack;
	enum record_stack_end end = RECORD_STACK_BROKEN;
	uint32_t region, regions;

	if (make_room(resolving, err) ||
	    find_regions(resolving, frame, place, &region, &regions, err) ||
	    (frame ? follow(resolving, frame, place, &known, err)
		   : add_inlined(resolving, &known, FRAME_NOWHERE, err)))
		return NULL;
	if (frame)
		end = known.is_overhead ? RECORD_STACK_COMPLETE : sampled_end(place->frames, frame);
	stack = &profile->stacks[profile->stack_count];
	*stack = (struct profile_stack){
		.thread = place->thread,
		.node = known.node,
		.depth = known.depth,
		.is_left_out = known.is_ignored || (has_focus && !known.is_focus) || !known.depth ||
			       !profile_regions_are_wanted(&profile->regions, region),
		.has_callers = frame && sampled_depth(place->frames, frame) > 1 + regions,
		.region = region,
		.end = end,
	};
	resolving->spans[profile->stack_count - resolving->first] = (struct profile_span){
		.from = known.from, .until = known.until, .next = frame ? frame->first : HASH_NONE
	};
	if (frame)
		frame->first = (uint32_t)profile->stack_count;
	profile->stack_count++;
	return stack;
}

struct profile_stack *profile_resolve(struct profile_resolving *resolving,
				      struct sampled_frame *frame,
				      const struct profile_resolve_place *place, struct err *err)
{
	struct profile_stack *stacks = resolving->profile->stacks;
	const struct profile_span *span;

	for (uint32_t i = frame ? frame->first : HASH_NONE; i != HASH_NONE; i = span->next) {
		span = &resolving->spans[i - resolving->first];
		if (stacks[i].thread == place->thread && span->from <= place->time &&
		    place->time < span->until)
			return &stacks[i];
	}
	return add(resolving, frame, place, err);
}
