/* SPDX-License-Identifier: MIT
 *
 * counters.h - the kernel's counters of CPU time, or of an event, on threads of the target, one for
 * each CPU, which write a sample into its ring after each period.
 *
 * A thread or process that a thread starts has copies of its counters from the first instruction
 * on; the thread at the head of such a family is its root. A copy has the id of its original.
 */
#ifndef DWELL_ATTACH_COUNTERS_H
#define DWELL_ATTACH_COUNTERS_H

#include "attach/attach.h"
#include "attach/event.h"
#include "attach/rings.h"
#include "base/hash.h"

struct counters_options {
	clockid_t clock;
	uint64_t period_ns;
	const struct attach_event *event; /* counted in place of CPU time; NULL: none */
	uint32_t stack_bytes;             /* copied with each sample; 0: none */
	bool follow;                      /* also into forked processes */
	bool at_exec;                     /* from the next exec() on */
	bool kernel; /* samples have functions of the kernel, where it permits that */
};

struct counters {
	struct counters_options options;
	const struct rings *rings;
	int *fds;
	size_t count;
	struct hash roots; /* id of a counter -> its thread */
	bool user_only;    /* the kernel hides the time when it runs itself */
	bool threads_only; /* the kernel keeps them out of forked processes */
	bool lost_unknown; /* the kernel, before Linux 6.0, does not count events without room */
	bool sums_mislead; /* some threads are counted twice, or other threads are counted as
			    * well */
};

void counters_init(struct counters *counters, const struct counters_options *options,
		   const struct rings *rings);
void counters_close(struct counters *counters);

/* Opens counters on one more thread. Returns 0 or -errno; -ESRCH: it has ended. */
int counters_add(struct counters *counters, pid_t tid);

/* Returns the form of samples. */
struct event_form counters_form(const struct counters *counters);

/* Returns the thread for which a counter was opened; 0: not ours. */
pid_t counters_root(const struct counters *counters, uint64_t id);

/* Stops all counting and writing. */
void counters_stop(struct counters *counters);

/* Returns the CPU time of all threads since they were added, and of all that they have started. */
uint64_t counters_total(const struct counters *counters);

/* Returns how many events had no room in a ring; 0 where that is not known. */
uint64_t counters_lost(const struct counters *counters);

#endif
