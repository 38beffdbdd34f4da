/* SPDX-License-Identifier: MIT
 *
 * frames.h - which function each address of each process is in. An address is resolved once for as
 * long as the same thing is mapped there.
 */
#ifndef DWELL_MODEL_FRAMES_H
#define DWELL_MODEL_FRAMES_H

#include "base/hash.h"
#include "model/functions.h"
#include "model/maps.h"

/* An address in a span of time. */
struct frame {
	uint64_t from, until; /* in ticks */
	uint32_t function;
	uint32_t next; /* of the same address in another span; HASH_NONE: there is none */
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

/* The frame, which is valid until the next call; NULL: err says why. */
const struct frame *frames_find(struct frames *frames, const struct frames_place *place,
				struct err *err);

#endif
