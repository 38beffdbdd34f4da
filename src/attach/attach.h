/* SPDX-License-Identifier: MIT
 *
 * attach.h - samples running processes from outside: nothing is loaded into them, no signal is
 * sent, nothing is stopped. The kernel counts the CPU time of every thread and copies registers and
 * stack into ring buffers after each period; here the stacks are walked and written to a recording,
 * in the same form as by the runtimes inside programs.
 *
 *	struct err err;
 *	if (attach_open(&attach, &options, path, &err))	a recording made by recording/make/create.h
 *		...
 *	while (attach_pump(attach, 100) > 0 && !enough)
 *		;
 *	attach_close(attach);
 *
 * One at a time in a process, as recording/write/room.h requires.
 */
#ifndef DWELL_ATTACH_ATTACH_H
#define DWELL_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/calls_entry.h"
#include "base/err.h"
#include "pmu/pmu_event.h"

#define ATTACH_STACK_BYTES ((uint32_t)16384)

struct attach;

/* Samples count this event in place of CPU time. */
struct attach_event {
	const struct pmu_event *event; /* stays valid */
	uint64_t period;               /* events per sample; 0: as many as hz requires */
};

struct attach_options {
	const pid_t *pids;
	size_t pid_count;
	/* Each has one thread, which is about to call exec(): samples begin after that.
	 */
	bool at_exec;
	uint32_t hz;          /* samples per second of CPU time of a thread; 1 to 50000 */
	bool stacks;          /* false: the innermost frame alone */
	uint32_t stack_bytes; /* copied with each sample, at most 60000; 0: ATTACH_STACK_BYTES */
	bool follow;          /* also processes that these have started, and will start */
	/* Directory of a cgroup, all processes of which are watched: also those that join it; NULL:
	 * none. Stays valid. */
	const char *cgroup;
	bool kernel;               /* stacks go on in the kernel, where it permits that */
	struct attach_event event; /* its event is NULL: CPU time */
	uint32_t blocked_hz;       /* rate at which to look at waiting threads; 0: never */
	/* Stays valid; NULL: nothing but us writes to the recording. */
	const struct calls_shared *shared;
};

/* For a status line. */
struct attach_status {
	uint64_t samples;          /* in the recording */
	uint64_t lost;             /* events that did not fit */
	size_t processes, threads; /* living */
	size_t targets;            /* living ones among the requested */
	size_t refused;            /* processes of the cgroup that could not be watched */
	bool user_only; /* kernel time is seen only as a sum, and attributed to the samples around
			 * it */
};

/* Attaches. The path must stay valid; a shared recording needs none. On success, free with
 * attach_close(). Errors are one sentence. */
int attach_open(struct attach **attach, const struct attach_options *options, const char *path,
		struct err *err);

/* Waits for events, up to the timeout, and handles them. Returns the number of living processes. */
size_t attach_pump(struct attach *attach, int timeout_ms);

/* Makes the weights of all samples written so far final, for a reader that takes them away. */
void attach_settle(struct attach *attach);

struct attach_status attach_status(const struct attach *attach);

/* Releases the processes, and writes the rest. */
void attach_close(struct attach *attach);

#endif
