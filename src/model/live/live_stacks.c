/* SPDX-License-Identifier: MIT */
#include "live_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/profile/frames.h"
#include "model/profile/sampled.h"

/* In place of half of an address: no frame. No program has code there. */
#define NO_FRAME UINT32_MAX

/* Limit of remembered addresses per process; more are looked up again. */
#define ADDRESSES_MAX ((size_t)1 << 20)

int live_stacks_init(struct live_stacks *stacks, const struct functions_style *style,
		     uint64_t since, struct err *err)
{
	static const struct functions_choice all;

	*stacks = (struct live_stacks){ 0 };
	return functions_init(&stacks->functions, &all, style, since, err);
}

static void forget_places(struct live_process *process)
{
	hash_free(&process->places);
	free(process->functions);
	process->functions = NULL;
	process->function_count = 0;
}

static void free_process(struct live_process *process)
{
	for (size_t i = 0; i < process->item_count; i++)
		free(process->items[i]);
	free(process->items);
	maps_process_fini(&process->maps);
	forget_places(process);
	free(process->frames);
	free(process);
}

void live_stacks_fini(struct live_stacks *stacks)
{
	for (size_t i = 0; i < stacks->process_count; i++)
		free_process(stacks->processes[i]);
	free(stacks->processes);
	prefix_tree_free(&stacks->tree);
	hash_free(&stacks->by_offset);
	functions_fini(&stacks->functions);
}

/* ---- processes ---- */

struct live_process *live_stacks_process(const struct live_stacks *stacks, uint64_t offset)
{
	const uint32_t *place = hash_find(&stacks->by_offset, offset);

	return place && *place != HASH_NONE ? stacks->processes[*place] : NULL;
}

static struct live_process *new_process(struct live_stacks *stacks, uint64_t offset)
{
	struct live_process **more =
		vec_room(stacks->processes, stacks->process_count, sizeof(struct live_process *));
	uint32_t *place = hash_place(&stacks->by_offset, offset);
	struct live_process *process = calloc(1, sizeof(*process));

	if (more)
		stacks->processes = more;
	if (!more || !place || !process) {
		free(process);
		return NULL;
	}
	process->offset = process->maps.offset = offset;
	process->maps.process = &process->record;
	*place = (uint32_t)stacks->process_count;
	stacks->processes[stacks->process_count++] = process;
	return process;
}

/* Forgets addresses and frames, which may be outdated. */
static void forget_names(struct live_process *process)
{
	forget_places(process);
	for (size_t i = 0; i < process->frame_count; i++)
		process->frames[i].exact = process->frames[i].called = HASH_NONE;
}

int live_stacks_add_process(struct live_stacks *stacks, uint64_t offset,
			    const struct record_process *record, struct err *err)
{
	struct live_process *process = live_stacks_process(stacks, offset), *parent;

	if (!process)
		process = new_process(stacks, offset);
	if (!process)
		return err_no_memory(err);
	if (memcmp(&process->record, record, sizeof(*record)) != 0)
		forget_names(process);
	process->record = *record;
	/* Parents are before their children in the file, so that no cycle is possible. */
	parent = record->forked && record->parent < offset
			 ? live_stacks_process(stacks, record->parent)
			 : NULL;
	process->maps.parent = parent ? &parent->maps : NULL;
	return 0;
}

int live_stacks_add_map(struct live_stacks *stacks, uint64_t offset, const struct record_item *item,
			struct err *err)
{
	struct live_process *process = live_stacks_process(stacks, offset);
	struct record_item **more;

	if (!process)
		return 0;
	more = vec_room(process->items, process->item_count, sizeof(struct record_item *));
	if (!more)
		return err_no_memory(err);
	process->items = more;
	more[process->item_count] = malloc(item->size);
	if (!more[process->item_count])
		return err_no_memory(err);
	memcpy(more[process->item_count], item, item->size);
	process->maps_changed = true;
	return maps_add(&process->maps, more[process->item_count++], err);
}

bool live_stacks_is_parent(const struct live_stacks *stacks, const struct live_process *process)
{
	for (size_t i = 0; i < stacks->process_count; i++)
		if (stacks->processes[i]->maps.parent == &process->maps)
			return true;
	return false;
}

void live_stacks_forget(struct live_stacks *stacks, struct live_process *process)
{
	size_t last = stacks->process_count - 1;
	uint32_t *place = hash_find(&stacks->by_offset, process->offset);

	/* Both have a place, or they would not be here. */
	*hash_find(&stacks->by_offset, stacks->processes[last]->offset) = *place;
	stacks->processes[*place] = stacks->processes[last];
	*place = HASH_NONE;
	stacks->process_count--;
	stacks->frames_kept -= process->frame_count;
	free_process(process);
}

/* ---- frames ---- */

static int make_room(struct live_stacks *stacks, struct live_process *process, size_t count,
		     struct err *err)
{
	size_t room = process->frame_room ? process->frame_room : 256;
	struct live_frame *more;

	while (room < count)
		room *= 2;
	if (room != process->frame_room) {
		more = realloc(process->frames, room * sizeof(*more));
		if (!more)
			return err_no_memory(err);
		process->frames = more;
		process->frame_room = room;
	}
	for (; process->frame_count < count; process->frame_count++, stacks->frames_kept++)
		process->frames[process->frame_count] = (struct live_frame){
			.record = { .pc = { NO_FRAME, NO_FRAME } },
			.exact = HASH_NONE,
			.called = HASH_NONE,
		};
	return 0;
}

int live_stacks_add_frames(struct live_stacks *stacks, uint64_t offset, uint32_t first,
			   const struct record_frame *frames, uint32_t count, struct err *err)
{
	struct live_process *process = live_stacks_process(stacks, offset);
	size_t end = (size_t)first + count;
	int status = 0;

	if (!process) {
		/* A thread's frames are read before its process is reported. */
		struct record_process none = { 0 };

		status = live_stacks_add_process(stacks, offset, &none, err);
		process = live_stacks_process(stacks, offset);
	}
	if (status)
		return status;
	if (end > process->frame_count &&
	    stacks->frames_kept + (end - process->frame_count) > LIVE_FRAMES_MAX) {
		stacks->frames_dropped += count;
		return 0;
	}
	if (end > process->frame_count)
		status = make_room(stacks, process, end, err);
	for (uint32_t i = 0; i < count && !status; i++)
		process->frames[first + i].record = frames[i];
	return status;
}

static const struct live_frame *frame_at(const struct live_process *process, uint32_t number)
{
	if (number >= process->frame_count || process->frames[number].record.pc[1] == NO_FRAME)
		return NULL;
	return &process->frames[number];
}

/* ---- nodes ---- */

static int intern(struct live_stacks *stacks, uint32_t caller, uint32_t function, uint32_t *node,
		  struct err *err)
{
	return prefix_tree_find(&stacks->tree, caller, function, node) ? err_no_memory(err) : 0;
}

int live_stacks_nowhere(struct live_stacks *stacks, uint32_t *node, struct err *err)
{
	return intern(stacks, HASH_NONE, FUNCTION_UNKNOWN, node, err);
}

/* A frame on the way from the innermost one outwards. */
struct step {
	uint32_t frame;
	uint32_t place; /* of its functions */
	bool is_return;
};

struct walk {
	struct live_stacks *stacks;
	struct live_process *process;
	uint64_t time;
	struct step steps[SAMPLED_DEPTH];
	uint32_t depth;
};

/* Returns the functions at a place, and their number. */
static const uint32_t *functions_at(const struct walk *walk, uint32_t place, uint32_t *count)
{
	const uint32_t *at = &walk->process->functions[place];

	*count = at[0];
	return at + 2;
}

static int add_number(struct live_process *process, uint32_t number, struct err *err)
{
	uint32_t *more =
		vec_room(process->functions, process->function_count, sizeof(*process->functions));

	if (!more)
		return err_no_memory(err);
	process->functions = more;
	more[process->function_count++] = number;
	return 0;
}

/* Keeps what was found at an address. */
static int keep_functions(struct live_process *process, const struct functions_found *found,
			  struct err *err)
{
	int status = add_number(process, (uint32_t)found->depth, err);

	if (!status)
		status = add_number(process, found->is_signal, err);
	for (size_t i = 0; i < found->depth && !status; i++)
		status = add_number(process, found->frames[i].number, err);
	return status;
}

/* Looks up the functions at an address: one, and those inlined there. */
static int look_up(const struct walk *walk, uint64_t pc, bool is_return,
		   struct functions_found *found, struct err *err)
{
	struct live_process *process = walk->process;
	struct maps_found there = maps_find(&process->maps, pc - is_return, walk->time);
	struct functions_place place = { .address = pc,
					 .maker = process->record.pid,
					 .map = there.map,
					 .script = there.script };

	return is_return ? functions_find_caller(&walk->stacks->functions, &place, found, err)
			 : functions_find(&walk->stacks->functions, &place, found, err);
}

/* Finds the place of the functions at an address. */
static int find_functions(const struct walk *walk, uint64_t pc, bool is_return, uint32_t *place,
			  struct err *err)
{
	struct live_process *process = walk->process;
	uint32_t *known = hash_place(&process->places, pc << 1 | is_return);
	struct functions_found found;
	int status;

	if (!known)
		return err_no_memory(err);
	if (*known == HASH_NONE) {
		uint32_t next = (uint32_t)process->function_count;

		status = look_up(walk, pc, is_return, &found, err);
		if (!status)
			status = keep_functions(process, &found, err);
		if (status)
			return status;
		*known = next;
	}
	*place = *known;
	return 0;
}

static uint64_t pc_of(const struct record_frame *frame)
{
	return (uint64_t)(frame->pc[1] & ~RECORD_FRAME_GUESSED) << 32 | frame->pc[0];
}

/* Returns true for a frame that stands for a region: such are the outermost, behind those of code.
 */
static bool is_region(const struct live_frame *frame)
{
	return pc_of(&frame->record) - RECORD_REGIONS_START < RECORD_REGIONS_MAX;
}

/* Goes outwards up to the first frame whose node is known, or to the end: *node is that, or
 * HASH_NONE. Returns 1; 0: a frame is missing; or -errno. */
static int collect(struct walk *walk, uint32_t number, uint32_t *node, struct err *err)
{
	bool is_return = false;

	*node = HASH_NONE;
	while (number < RECORD_FRAME_LAST(0) && walk->depth < SAMPLED_DEPTH) {
		const struct live_frame *frame = frame_at(walk->process, number);
		struct step *step = &walk->steps[walk->depth];
		const uint32_t *functions;
		uint32_t count;
		int status;

		if (!frame)
			return 0;
		if (walk->depth && is_region(frame))
			return 1;
		*node = is_return ? frame->called : frame->exact;
		if (*node != HASH_NONE)
			return 1;
		*step = (struct step){ .frame = number, .is_return = is_return };
		status = find_functions(walk, pc_of(&frame->record), is_return, &step->place, err);
		if (status)
			return status;
		walk->depth++;
		functions = functions_at(walk, step->place, &count);
		/* Time of dwell there is not the program's. */
		if (functions[0] == FUNCTION_OVERHEAD && walk->depth == 1)
			return 1;
		is_return = !functions[-1];
		number = frame->record.caller;
	}
	return 1;
}

/* Returns true for a native frame that runs a function of a script, which is its caller in the
 * recording and takes its place. */
static bool runs_script(const struct live_process *process, const struct live_frame *frame)
{
	const struct live_frame *caller = frame_at(process, frame->record.caller);

	return caller && frame_is_script(pc_of(&caller->record)) &&
	       !frame_is_script(pc_of(&frame->record));
}

/* Goes inwards from a node through the functions at a place. */
static int name_place(struct walk *walk, uint32_t place, uint32_t *node, struct err *err)
{
	uint32_t count;
	const uint32_t *functions = functions_at(walk, place, &count);
	int status = 0;

	if (functions[0] == FUNCTION_OVERHEAD && walk->depth)
		return 0;
	while (count && !status)
		status = intern(walk->stacks, *node, functions[--count], node, err);
	return status;
}

/* Goes back inwards, and stores the node of each frame. */
static int name(struct walk *walk, uint32_t *node, struct err *err)
{
	int status = 0;

	while (walk->depth && !status) {
		const struct step *step = &walk->steps[--walk->depth];
		struct live_frame *frame = &walk->process->frames[step->frame];

		if (!runs_script(walk->process, frame))
			status = name_place(walk, step->place, node, err);
		if (status)
			return status;
		if (step->is_return)
			frame->called = *node;
		else
			frame->exact = *node;
	}
	return status;
}

int live_stacks_find(struct live_stacks *stacks, struct live_process *process, uint32_t frame,
		     uint64_t time, uint32_t *node, struct err *err)
{
	struct walk walk;
	int status = 0;

	walk.stacks = stacks;
	walk.process = process;
	walk.time = time;
	walk.depth = 0;
	if (process->maps_changed) {
		process->maps_changed = false;
		forget_names(process);
		status = maps_index(&process->maps, err);
	}
	/* Not during the walk, which has places of them. */
	if (process->places.count > ADDRESSES_MAX)
		forget_places(process);
	if (!status)
		status = collect(&walk, frame, node, err);
	if (status <= 0) {
		*node = HASH_NONE;
		return status;
	}
	status = name(&walk, node, err);
	return !status && *node == HASH_NONE ? live_stacks_nowhere(stacks, node, err) : status;
}

int live_stacks_compact(struct live_stacks *stacks, uint32_t *marks, struct err *err)
{
	if (prefix_tree_compact(&stacks->tree, marks))
		return err_no_memory(err);
	for (size_t i = 0; i < stacks->process_count; i++)
		for (size_t j = 0; j < stacks->processes[i]->frame_count; j++)
			stacks->processes[i]->frames[j].exact =
				stacks->processes[i]->frames[j].called = HASH_NONE;
	return 0;
}
