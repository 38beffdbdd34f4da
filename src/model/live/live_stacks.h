/* SPDX-License-Identifier: MIT
 *
 * live_stacks.h - resolves the frames of a growing recording: chains of functions, each stored
 * once, as a node with a number. Takes the frames of each process, and its mappings.
 */
#ifndef DWELL_MODEL_LIVE_LIVE_STACKS_H
#define DWELL_MODEL_LIVE_LIVE_STACKS_H

#include "base/hash.h"
#include "model/profile/functions.h"
#include "model/prefix_tree.h"
#include "model/profile/maps.h"

/* For all processes together; frames beyond that are dropped, and their stacks unknown. */
#define LIVE_FRAMES_MAX ((size_t)4 << 20)

/* A frame as recorded, and its nodes: for its address as that of the thread, and as a return
 * address. HASH_NONE: not known yet. */
struct live_frame {
	struct record_frame record;
	uint32_t exact, called;
};

struct live_process {
	uint64_t offset; /* of its segment */
	struct record_process record;
	struct maps_process maps;
	struct record_item **items; /* of the maps */
	size_t item_count;
	bool maps_changed;
	struct live_frame *frames; /* by number */
	size_t frame_count, frame_room;
	struct hash places;  /* address, and if it is a return address -> place in functions */
	uint32_t *functions; /* of each address: their number, whether signal handlers return
			      * there, and they, the innermost inlined one first */
	size_t function_count;
	uint64_t seen; /* the last bucket with samples of it */
};

struct live_stacks {
	struct functions functions;
	struct live_process **processes;
	size_t process_count;
	struct hash by_offset;   /* -> index in processes */
	struct prefix_tree tree; /* of functions; without a root */
	size_t frames_kept, frames_dropped;
};

/* Starts without processes. On success, free with live_stacks_fini(). */
int live_stacks_init(struct live_stacks *stacks, const struct functions_style *style,
		     uint64_t since, struct err *err);
void live_stacks_fini(struct live_stacks *stacks);

/* Returns NULL if there is none. */
struct live_process *live_stacks_process(const struct live_stacks *stacks, uint64_t offset);

/* Adds contents of a recording, as do the next. Returns 0 or -errno. */
int live_stacks_add_process(struct live_stacks *stacks, uint64_t offset,
			    const struct record_process *record, struct err *err);
int live_stacks_add_map(struct live_stacks *stacks, uint64_t process,
			const struct record_item *item, struct err *err);
int live_stacks_add_frames(struct live_stacks *stacks, uint64_t process, uint32_t first,
			   const struct record_frame *frames, uint32_t count, struct err *err);

/* Returns true if another process uses its maps. */
bool live_stacks_is_parent(const struct live_stacks *stacks, const struct live_process *process);
void live_stacks_forget(struct live_stacks *stacks, struct live_process *process);

/* Finds the node of a stack, by its innermost frame, at a time; HASH_NONE: some of its frames are
 * still missing. Returns 0 or -errno. */
int live_stacks_find(struct live_stacks *stacks, struct live_process *process, uint32_t frame,
		     uint64_t time, uint32_t *node, struct err *err);

/* Finds the node for unknown places. */
int live_stacks_nowhere(struct live_stacks *stacks, uint32_t *node, struct err *err);

/* Drops all nodes except the marked ones and their callers; marks[] receives their new numbers.
 * Returns 0, or -errno: nothing has changed. */
int live_stacks_compact(struct live_stacks *stacks, uint32_t *marks, struct err *err);

#endif
