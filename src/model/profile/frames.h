/* SPDX-License-Identifier: MIT
 *
 * frames.h - resolves each address on the stacks to a frame, with a number. A place in a file is
 * resolved once, however many processes have mapped the file, wherever they have it; so a recording
 * of a thousand ranks takes as many frames as one of them. An address in no file belongs to its
 * process.
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

/* A place in a file, or an address in no file. */
struct frame {
	const struct record_map *map; /* of the process that had it first; NULL: no known one */
	const struct record_script *script; /* NULL: not of one */
	uint64_t pc;        /* of the instruction or, for callers, in it; as in that process */
	uint64_t address;   /* the same as in the file */
	const char *source; /* its source file; NULL: unknown, or not requested */
	uint32_t line;      /* in the source: of the code or, if a function is inlined there, of the
			     * call; 0: unknown */
	uint32_t function;
	uint32_t outer; /* the frame it was inlined into; HASH_NONE: the function itself */
	uint32_t next;  /* of the same address in another mapping; HASH_NONE: none */
	bool is_signal;
	bool is_script;     /* of a function that an interpreter runs */
	bool is_trampoline; /* made for a function that is in the stack as well */
};

/* The frames of a file by their offset in it, or those of a process that are in no file. */
struct frames_space {
	struct hash pcs, returns; /* offset or address -> the frame found last */
};

struct frames {
	struct functions *functions;
	const struct maps *maps;
	struct frames_space *files; /* in the order of the symbolizer's objects */
	size_t file_count;
	struct frames_space *processes; /* in the order of maps */
	struct hash by_map;             /* -> index in files, or FRAMES_NO_FILE */
	struct frame *list;
	size_t count;
};

/* Starts with FRAME_NOWHERE alone. On success, free with frames_fini(). */
int frames_init(struct frames *frames, struct functions *functions, const struct maps *maps,
		struct err *err);
void frames_fini(struct frames *frames);

/* Returns true for an address of a function that an interpreter runs. */
static inline bool frame_is_script(uint64_t address)
{
	return address >= RECORD_SCRIPTS_START &&
	       address - RECORD_SCRIPTS_START < RECORD_SCRIPTS_BYTES;
}

/* An address of a process at a time. */
struct frames_place {
	const struct maps_process *process; /* NULL: unknown */
	uint64_t address;
	uint64_t time;
	bool is_return;
};

/* The innermost frame there, and the span of time (in ticks) in which the address means it. */
struct frames_found {
	uint32_t number;
	uint64_t from, until;
};

/* Returns 0 or -errno. */
int frames_find(struct frames *frames, const struct frames_place *place, struct frames_found *found,
		struct err *err);

#endif
