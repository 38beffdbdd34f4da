/* SPDX-License-Identifier: MIT
 *
 * profile.h - the samples of a recording: where threads were, with functions instead of addresses.
 * Equal stacks of a thread are one, with the number of samples and the time that these stand for.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_H
#define DWELL_MODEL_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/spec.h"
#include "frames.h"
#include "functions.h"
#include "maps.h"
#include "model/calls/timescale.h"
#include "recording/read/reader.h"

/* Is told now and then how many of all samples have been read. */
struct profile_progress {
	void (*step)(void *argument, uint64_t done, uint64_t whole);
	void *argument;
};

/* Which samples count. Starts as all zeroes, which is all of them. */
struct profile_filter {
	struct spec_list focus;  /* those with such a function on their stack */
	struct spec_list ignore; /* without those */
	struct spec_list hide;   /* such functions are taken out of stacks */
	const char *thread;      /* number or name; NULL: any */
	uint32_t pid;            /* 0: any */
	bool has_time;
	double from_s, until_s; /* since the start of the recording */
	bool mangled;
	bool no_inline;    /* inlined functions are parts of those that they are in */
	bool lines;        /* frames have their source and line */
	bool keep_samples; /* one by one, in profile.samples */
	bool arcs;         /* calls that functions have counted themselves, in profile.arcs */
	const struct profile_progress *progress; /* NULL: nobody wants to know */
	struct debuginfod
		*debuginfod; /* servers to ask for debug files, the filter's; NULL: none */
	struct archive_write
		*answers; /* where all that is known of frames is kept; NULL: nowhere */
};

/* A thread that was sampled. */
struct profile_thread {
	const struct maps_process *process; /* NULL: unknown */
	uint32_t tid;
	const char *name; /* the last that it had */
};

struct profile_amount {
	uint64_t samples, ns;
};

/* The node that all stacks begin at. It is no frame. */
#define PROFILE_ROOT 0

/* A frame as called by those on the way to the root: what stacks have in common is there once. A
 * node comes after its caller. */
struct profile_node {
	uint32_t frame;  /* number of the resolver's */
	uint32_t caller; /* as those below, a place among the nodes; HASH_NONE: there is none */
	uint32_t callee; /* the last that was found */
	uint32_t sibling;
};

/* A stack of a thread, and how often it was seen. */
struct profile_stack {
	uint32_t thread;
	uint32_t node;        /* of its innermost frame; PROFILE_ROOT: all of it is hidden */
	uint32_t depth;       /* how many frames it has */
	uint32_t next;        /* of the same recorded stack; HASH_NONE: there is none */
	uint64_t from, until; /* the time when its addresses mean these functions */
	bool is_left_out;     /* by the filter */
	bool has_callers;     /* more than the innermost function was recorded */
	enum record_stack_end end;
	struct profile_amount amount;
};

/* A single one, if they are kept. */
struct profile_sample {
	uint64_t time_ns; /* since the start of the recording */
	uint64_t ns;      /* that it stands for */
	uint32_t stack;   /* a place in profile.stacks */
	bool is_blocked;  /* the thread was not running */
};

/* Calls of a function from one place, by its own count: see profile_arcs.h. Both are numbers of the
 * resolver's frames. */
struct profile_arc {
	uint32_t caller, callee;
	uint64_t count;
};

struct profile_totals {
	struct profile_amount seen;      /* in the recording, as are all below */
	struct profile_amount kept;      /* by the filter */
	struct profile_amount blocked;   /* while the thread was not running */
	struct profile_amount truncated; /* whose stack was too deep */
	struct profile_amount broken;    /* whose stack could not be followed to its end */
	struct profile_amount stackless; /* whose stack the recording does not have */
	struct profile_amount lost;      /* that there was no room for */
	uint64_t unwatched_ns;           /* of CPU time of threads that could not be watched, and of
					  * processes that ended before a tick */
	uint64_t cpu_ns;    /* of the command, and of all that it has waited for; 0: not
			     * known, or not all of it was to be sampled */
	uint64_t slowed_ns; /* of time at a lower rate than was asked for */
	double lowest_hz;   /* which was as low as that; 0: it was never lowered */
	uint64_t refused;   /* processes that have no clock */
	uint64_t hz;        /* asked for; of several, the highest */
	bool has_stacks;    /* some have more than one frame */
	bool is_wall;
	char clocks[64];           /* their names, with commas between them */
	size_t processes, threads; /* that were sampled */
};

/* Its parts point to each other, so it stays where it was read to. */
struct profile {
	struct functions functions;
	struct maps maps;
	struct frames resolver;
	struct timescale scale;
	struct profile_thread *threads;
	size_t thread_count;
	struct profile_stack *stacks;
	size_t stack_count;
	struct profile_node *nodes; /* of all stacks, the root first */
	size_t node_count;
	struct profile_path *path;      /* the stack that was last asked for */
	struct profile_sample *samples; /* that the filter kept, if they were to be; by thread */
	size_t sample_count;
	struct profile_arc *arcs; /* if they were to be read */
	size_t arc_count;
	struct profile_totals totals;
};

/* Whether there are samples, or would have been. */
bool profile_exists(const struct reader *reader);

/* What the number of a frame means. */
static inline const struct frame *profile_frame(const struct profile *profile, uint32_t number)
{
	return &profile->resolver.list[number];
}

/* The function of a node that is not the root. */
static inline uint32_t profile_node_function(const struct profile *profile, uint32_t node)
{
	return profile_frame(profile, profile->nodes[node].frame)->function;
}

/* The numbers of a stack's frames, the innermost first. Valid until another stack is asked for. */
const uint32_t *profile_frames(const struct profile *profile, const struct profile_stack *stack);

/* The number of the function in a place of a stack, counted from the innermost, which is 0. */
static inline uint32_t profile_function(const struct profile *profile,
					const struct profile_stack *stack, uint32_t place)
{
	return profile_frame(profile, profile_frames(profile, stack)[place])->function;
}

/* What a process is called by its first argument: the last part of the path of its program, or what
 * it calls itself ("nginx: worker process"), which may have paths in it. */
const char *profile_title(const char *command);

/* All samples of a recording, without a look at what they are of. */
struct profile_amount profile_sum(const struct reader *reader);

/* Reader and filter must outlive the answer. On success, profile_free() is due. */
int profile_read(struct profile *profile, const struct reader *reader,
		 struct profile_filter *filter, struct err *err);
void profile_free(struct profile *profile);

void profile_filter_fini(struct profile_filter *filter);

#endif
