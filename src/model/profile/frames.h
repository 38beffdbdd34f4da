/* SPDX-License-Identifier: MIT
 *
 * frames.h - what is at each address of each process that stacks go through: a frame, with a
 * number. An address is resolved once for as long as the same thing is mapped there.
 *
 * Where a compiler has put functions into others, an address has several frames: the innermost is
 * that of the address, and `outer` leads on to the function that has really been called.
 */
#ifndef DWELL_MODEL_PROFILE_FRAMES_H
#define DWELL_MODEL_PROFILE_FRAMES_H

#include "base/hash.h"
#include "functions.h"
#include "maps.h"

/* The frame that is always there: of what the recording does not tell. */
#define FRAME_NOWHERE 0

/* An address in a span of time. */
struct frame {
	uint64_t from, until;         /* in ticks */
	const struct record_map *map; /* NULL: nothing is known to be there */
	uint64_t pc;        /* of the instruction or, of callers, in it; as the process counts */
	uint64_t address;   /* the same as the file counts */
	const char *source; /* the file it was compiled from; NULL: unknown, or not asked for */
	uint32_t line; /* of that: of the code or, if something is inlined there, of the call; 0:
			* unknown */
	uint32_t function;
	uint32_t outer; /* the frame it was inlined into; HASH_NONE: it is the function itself */
	uint32_t next;  /* of the same address in another span; HASH_NONE: there is none */
	bool is_signal;
};

/* What is known of one process. */
struct frames_process {
	struct hash pcs, returns; /* address -> the frame that was found last */
};

struct frames {
	struct functions *functions;
	const struct maps *maps;
	struct frames_process *processes; /* as those of maps */
	struct frame *list;
	size_t count;
};

/* On success, frames_fini() is due. */
int frames_init(struct frames *frames, struct functions *functions, const struct maps *maps,
		struct err *err);
void frames_fini(struct frames *frames);

/* Which address, of which process, when. */
struct frames_place {
	const struct maps_process *process; /* NULL: unknown */
	uint64_t address;
	uint64_t time;
	bool is_return;
};

/* Answers 0 and the number of the innermost frame, or -errno. */
int frames_find(struct frames *frames, const struct frames_place *place, uint32_t *number,
		struct err *err);

#endif
