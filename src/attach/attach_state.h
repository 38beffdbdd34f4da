/* SPDX-License-Identifier: MIT
 *
 * attach_state.h - state shared by the parts of an attach.
 */
#ifndef DWELL_ATTACH_ATTACH_STATE_H
#define DWELL_ATTACH_ATTACH_STATE_H

#include <sys/resource.h>

#include "attach/attach.h"
#include "attach/counters.h"
#include "attach/event.h"
#include "attach/watched_roster.h"
#include "attach/timeline.h"

/* A requested process. */
struct target {
	bool is_pending;             /* it has not called exec() yet */
	struct proc_schedule before; /* used before that */
};

struct attach {
	struct attach_options options; /* its pids are our own */
	struct target *targets;        /* one per pid */
	struct timeline timeline;
	struct rings rings;
	struct counters counters;
	struct watched_process_context context;
	struct watched_roster roster;
	struct walker_frames frames; /* of the current sample */
	uint64_t samples, lost;
	uint64_t announced;        /* those of the lost that had no room in a ring */
	bool has_lost;             /* so changes of processes may be unknown to us */
	uint64_t settled, checked; /* when that was last done, in the clock of events */
	uint64_t looked;           /* when blocked.c did */
	uint64_t listed;           /* when the cgroup was */
	bool has_cgroup;           /* and it was there */
	struct hash refused;       /* processes of it that could not be watched */
	size_t refused_count;
	struct rlimit files; /* previous limit */
};

#endif
