/* SPDX-License-Identifier: MIT
 *
 * attach_state.h - what the parts of an attach have in common.
 */
#ifndef DWELL_ATTACH_ATTACH_STATE_H
#define DWELL_ATTACH_ATTACH_STATE_H

#include <sys/resource.h>

#include "attach/attach.h"
#include "attach/counters.h"
#include "attach/event.h"
#include "attach/watched_roster.h"
#include "attach/timeline.h"

/* A process that was asked for. */
struct target {
	bool is_pending;             /* it has not called exec() yet */
	struct proc_schedule before; /* what it had used by then */
};

struct attach {
	struct attach_options options; /* its pids are our own */
	struct target *targets;        /* one for each of them */
	struct timeline timeline;
	struct rings rings;
	struct counters counters;
	struct watched_process_context context;
	struct watched_roster roster;
	struct walker_frames frames; /* of the sample at hand */
	uint64_t samples, lost;
	bool has_lost;             /* so what processes did may be unknown to us */
	uint64_t settled, checked; /* when that was last done, as events have it */
	uint64_t looked;           /* when blocked.c did */
	struct rlimit files;       /* as it was before */
};

#endif
