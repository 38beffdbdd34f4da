/* SPDX-License-Identifier: MIT
 *
 * profile.h - the samples of a recording, with functions instead of addresses. Equal stacks of a
 * thread are one, with the number of samples and the time that these stand for.
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
#include "recording/read/timescale.h"
#include "model/prefix_tree.h"
#include "profile_regions.h"
#include "recording/read/reader.h"

/* Called now and then with the number of samples read, and of all. */
struct profile_progress {
	void (*step)(void *argument, uint64_t done, uint64_t whole);
	void *argument;
};

/* How functions that an interpreter runs are shown in stacks. */
enum profile_scripts {
	PROFILE_SCRIPTS_MERGED, /* in place of the native frames that run them */
	PROFILE_SCRIPTS_NONE,   /* native frames alone */
	PROFILE_SCRIPTS_ALONE,
};

/* Selects samples. Starts as all zeroes, which selects all. */
struct profile_filter {
	struct spec_list focus;   /* only with such a function on their stack */
	struct spec_list ignore;  /* only without such a function */
	struct spec_list hide;    /* such functions are removed from stacks */
	struct spec_list regions; /* only in such a region */
	const char *thread;       /* number or name; NULL: any */
	uint32_t pid;             /* 0: any */
	bool has_time;
	double from_s, until_s; /* since the start of the recording */
	bool mangled;
	enum profile_scripts scripts;
	bool no_inline;    /* inlined functions are parts of the functions they are in */
	bool tiers;        /* code of each tier of a JIT is a function */
	bool lines;        /* frames have their source and line */
	bool keep_samples; /* individually, in profile.samples */
	bool arcs;         /* calls counted by the functions themselves, in profile.arcs */
	const struct profile_progress *progress; /* NULL: none */
	struct debuginfod
		*debuginfod; /* servers for debug files, owned by the caller; NULL: none */
	struct archive_write *new_archive; /* receives all that is known about frames; NULL: none */
};

/* A thread that was sampled. */
struct profile_thread {
	const struct maps_process *process; /* NULL: unknown */
	uint32_t tid;
	const char *name; /* its last one */
};

struct profile_amount {
	uint64_t samples, ns;
};

/* The node at which all stacks begin. It is not a frame. */
#define PROFILE_ROOT 0

/* A stack of a thread, and how often it was seen. */
struct profile_stack {
	uint32_t thread;
	uint32_t node;    /* of its innermost frame; PROFILE_ROOT: all of it is hidden */
	uint32_t depth;   /* number of frames */
	bool is_left_out; /* by the filter */
	bool has_callers; /* more than the innermost function was recorded */
	uint32_t region;  /* a node of profile.regions */
	uint8_t end;      /* an enum record_stack_end */
	struct profile_amount amount;
};

/* A single sample, if they are kept. */
struct profile_sample {
	uint64_t time_ns; /* since the start of the recording */
	uint64_t ns;      /* that it stands for */
	uint32_t stack;   /* index in profile.stacks */
	bool is_blocked;  /* the thread was not running */
};

/* Calls of a function from one place, by its own count: see profile_arcs.h. Both are frame numbers
 * of the resolver. */
struct profile_arc {
	uint32_t caller, callee;
	uint64_t count;
};

struct profile_totals {
	struct profile_amount seen;      /* in the recording, as all below */
	struct profile_amount kept;      /* by the filter */
	struct profile_amount blocked;   /* while the thread was not running */
	struct profile_amount truncated; /* whose stack was too deep */
	struct profile_amount broken;    /* whose stack is incomplete */
	struct profile_amount stackless; /* whose stack is not in the recording */
	struct profile_amount lost;      /* that did not fit */
	uint64_t unwatched_ns;           /* CPU time of threads without a clock, and of processes
					  * that ended before a tick */
	uint64_t cpu_ns;    /* of the command, and of all processes it waited for; 0: unknown, or
			     * not all of it was to be sampled */
	uint64_t system_ns; /* the part of cpu_ns that was spent in the kernel */
	uint64_t tick_ns;   /* the kernel's own tick; 0: unknown */
	uint64_t coarse_ns; /* time of samples that the kernel's tick triggered */
	uint64_t slowed_ns; /* time at a lower rate than requested */
	uint64_t paused_ns; /* time while recording was paused; in no other figure but cpu_ns */
	uint64_t lost_regions;
	double lowest_hz; /* the lowest such rate; 0: never lowered */
	uint64_t refused; /* processes without a clock */
	uint64_t hz;      /* requested; the highest of several */
	bool has_stacks;  /* some have more than one frame */
	bool is_wall;
	const char *event; /* that samples count, where others have ns; NULL: they are time */
	bool has_unknown;  /* an interpreter whose functions have no names for us */
	uint32_t unknown_language; /* of it: enum record_language */
	uint32_t unknown_version;  /* as of struct record_interpreter */
	char clocks[64];           /* their names, separated by commas */
	size_t processes, threads; /* sampled ones */
};

/* Its parts point to each other, so it must not be moved. */
struct profile {
	struct functions functions;
	struct maps maps;
	struct frames resolver;
	struct timescale scale;
	struct profile_thread *threads;
	size_t thread_count;
	struct profile_stack *stacks;
	size_t stack_count;
	struct prefix_tree tree; /* of the frames of all stacks, by their numbers; the root first */
	struct prefix_links links;
	struct profile_regions regions;
	struct profile_path *path;      /* the last stack requested */
	struct profile_sample *samples; /* selected by the filter, if kept; by thread */
	size_t sample_count;
	struct profile_arc *arcs; /* if requested */
	size_t arc_count;
	struct profile_totals totals;
};

/* Returns true if there are samples, or would have been. */
bool profile_exists(const struct reader *reader);

/* Returns the frame of a number. */
static inline const struct frame *profile_frame(const struct profile *profile, uint32_t number)
{
	return &profile->resolver.list[number];
}

/* Returns the function of a node that is not the root. */
static inline uint32_t profile_node_function(const struct profile *profile, uint32_t node)
{
	return profile_frame(profile, profile->tree.nodes[node].key)->function;
}

/* Returns the numbers of a stack's frames, the innermost first. Valid until the next call. */
const uint32_t *profile_frames(const struct profile *profile, const struct profile_stack *stack);

/* Returns the number of the function at a place of a stack, counted from the innermost, which is
 * 0. */
static inline uint32_t profile_function(const struct profile *profile,
					const struct profile_stack *stack, uint32_t place)
{
	return profile_frame(profile, profile_frames(profile, stack)[place])->function;
}

/* Returns the title of a process from its first argument: the last component of its program's path,
 * or the title it has set ("nginx: worker process"), which may contain paths. */
const char *profile_title(const char *command);

/* Returns a number for a process: its pid, and above 22 bits, which are all that a pid of Linux
 * has, its machine. */
static inline uint64_t profile_pid_number(uint32_t machine, uint32_t pid)
{
	return (uint64_t)machine << 22 | pid;
}

/* Returns that of a process, which may be NULL. */
static inline uint64_t profile_process_number(const struct maps_process *process)
{
	return process ? profile_pid_number(process->machine, process->process->pid) : 0;
}

/* Sums up all samples of a recording, without resolving them. */
struct profile_amount profile_sum(const struct reader *reader);

/* Reads a profile. Reader and filter must outlive the result. On success, free with
 * profile_free(). */
int profile_read(struct profile *profile, const struct reader *reader,
		 struct profile_filter *filter, struct err *err);
void profile_free(struct profile *profile);

void profile_filter_fini(struct profile_filter *filter);

#endif
