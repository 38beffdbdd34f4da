/* SPDX-License-Identifier: MIT
 *
 * live_stacks.h - what frames of a recording that grows mean: chains of functions, each of which is
 * there once, as a node with a number. Takes the frames of each process, and what it has mapped.
 */
#ifndef DWELL_MODEL_LIVE_LIVE_STACKS_H
#define DWELL_MODEL_LIVE_LIVE_STACKS_H

#include "base/hash.h"
#include "model/profile/functions.h"
#include "model/profile/maps.h"

/* Of all processes together; the frames of what is more are not kept, and their stacks unknown. */
#define LIVE_FRAMES_MAX ((size_t)4 << 20)

/* A function, as it was called by the node of another. Invariant: its caller has a smaller number.
 */
struct live_node {
	uint32_t caller; /* HASH_NONE: nobody */
	uint32_t function;
};

/* A frame as it was recorded, and the nodes that it stands for: if its address is where the thread
 * was, and if it is one that a call returns to. HASH_NONE: not known yet. */
struct live_frame {
	struct record_frame record;
	uint32_t exact, called;
};

struct live_process {
	uint64_t offset; /* of its segment */
	struct record_process record;
	struct maps_process maps;
	struct record_item **items; /* that maps are of */
	size_t item_count;
	bool maps_changed;
	struct live_frame *frames; /* by number */
	size_t frame_count, frame_room;
	struct hash functions; /* of an address, and whether it is returned to -> function */
	uint64_t seen;         /* the last bucket it had samples in */
};

struct live_stacks {
	struct functions functions;
	struct live_process **processes;
	size_t process_count;
	struct hash by_offset; /* -> place in processes */
	struct live_node *nodes;
	size_t node_count;
	struct hash by_call; /* of caller and function -> node */
	size_t frames_kept, frames_dropped;
};

/* On success, live_stacks_fini() is due. */
int live_stacks_init(struct live_stacks *stacks, bool mangled, uint64_t since, struct err *err);
void live_stacks_fini(struct live_stacks *stacks);

/* NULL: there is none. */
struct live_process *live_stacks_process(const struct live_stacks *stacks, uint64_t offset);

/* What a recording says. 0 or -errno. */
int live_stacks_add_process(struct live_stacks *stacks, uint64_t offset,
			    const struct record_process *record, struct err *err);
int live_stacks_add_map(struct live_stacks *stacks, uint64_t process,
			const struct record_item *item, struct err *err);
int live_stacks_add_frames(struct live_stacks *stacks, uint64_t process, uint32_t first,
			   const struct record_frame *frames, uint32_t count, struct err *err);

/* Whether another one has its maps from it. */
bool live_stacks_is_parent(const struct live_stacks *stacks, const struct live_process *process);
void live_stacks_forget(struct live_stacks *stacks, struct live_process *process);

/* The node of a stack, by its innermost frame, at a time; HASH_NONE: not all of its frames have
 * come yet. 0 or -errno. */
int live_stacks_find(struct live_stacks *stacks, struct live_process *process, uint32_t frame,
		     uint64_t time, uint32_t *node, struct err *err);

/* The node of what is known to be nowhere. */
int live_stacks_nowhere(struct live_stacks *stacks, uint32_t *node, struct err *err);

/* Drops all nodes but those that are marked, with their callers; marks[] becomes what their numbers
 * are now. 0 or -errno: all is as it was. */
int live_stacks_compact(struct live_stacks *stacks, uint32_t *marks, struct err *err);

#endif
