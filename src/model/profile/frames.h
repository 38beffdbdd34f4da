/* SPDX-License-Identifier: MIT
 *
 * frames.h - resolves each address of each process on the stacks to a frame, with a number. An
 * address is resolved once while the same file is mapped there.
 *
 * Where functions are inlined, an address has several frames: the innermost is that of the address,
 * and `outer` leads on to the function that was really called.
 */
#ifndef DWELL_MODEL_PROFILE_FRAMES_H
#define DWELL_MODEL_PROFILE_FRAMES_H

#include "base/hash.h"
#include "functions.h"
#include "maps.h"

/* The frame that always exists: for a place not in the recording. */
#define FRAME_NOWHERE 0

/* An address in a span of time. */
struct frame {
	uint64_t from, until;         /* in ticks */
	const struct record_map *map; /* NULL: no known mapping */
	uint64_t pc;        /* of the instruction or, for callers, in it; as in the process */
	uint64_t address;   /* the same as in the file */
	const char *source; /* its source file; NULL: unknown, or not requested */
	uint32_t line;      /* in the source: of the code or, if a function is inlined there, of the
			     * call; 0: unknown */
	uint32_t function;
	uint32_t outer; /* the frame it was inlined into; HASH_NONE: the function itself */
	uint32_t next;  /* of the same address in another span; HASH_NONE: none */
	bool is_signal;
};

/* The frames of one process. */
struct frames_process {
	struct hash pcs, returns; /* address -> the frame found last */
};

struct frames {
	struct functions *functions;
	const struct maps *maps;
	struct frames_process *processes; /* in the order of maps */
	struct frame *list;
	size_t count;
};

/* Starts with FRAME_NOWHERE alone. On success, free with frames_fini(). */
int frames_init(struct frames *frames, struct functions *functions, const struct maps *maps,
		struct err *err);
void frames_fini(struct frames *frames);

/* An address of a process at a time. */
struct frames_place {
	const struct maps_process *process; /* NULL: unknown */
	uint64_t address;
	uint64_t time;
	bool is_return;
};

/* Returns 0 and the number of the innermost frame, or -errno. */
int frames_find(struct frames *frames, const struct frames_place *place, uint32_t *number,
		struct err *err);

#endif
