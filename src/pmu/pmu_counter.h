/* SPDX-License-Identifier: MIT
 *
 * pmu_counter.h - counts events of a process from its next exec on, and of all that it starts.
 */
#ifndef DWELL_PMU_PMU_COUNTER_H
#define DWELL_PMU_PMU_COUNTER_H

#include <sys/types.h>

#include "pmu_event.h"

/* enabled_ns and running_ns differ if there are more events than counters: then the kernel takes
 * turns, and the value is an estimate. */
struct pmu_counter {
	const struct pmu_event *event;
	int fd;              /* -1: not open */
	int refused;         /* errno, if it could not be opened */
	bool without_kernel; /* only user code may be counted */
	double value;        /* in the event's unit */
	uint64_t enabled_ns, running_ns;
};

/* Opens a counter for a process that has not yet called exec. A refusal is kept in it. */
void pmu_counter_open(struct pmu_counter *counter, const struct pmu_event *event, pid_t pid);

/* Opens and closes one that would interrupt this process, to see whether it may. It never does. */
void pmu_counter_try_sampling(struct pmu_counter *counter, const struct pmu_event *event);

/* Reads the value, and closes the counter. */
void pmu_counter_finish(struct pmu_counter *counter);

/* Returns why the event is not counted, in a sentence, or NULL. */
const char *pmu_counter_refusal(const struct pmu_counter *counter);

#endif
