/* SPDX-License-Identifier: MIT
 *
 * census.h - the threads of the process, as listed by the kernel.
 */
#ifndef DWELL_RUNTIME_SAMPLER_CENSUS_H
#define DWELL_RUNTIME_SAMPLER_CENSUS_H

#include <stdbool.h>
#include <sys/types.h>

#include "sys.h"

/*
 * Calls visit for each thread of the process. Returns 0, or -errno if /proc is not available; visit
 * may have been called for some threads then. Async-signal-safe.
 */
int census_take(void (*visit)(pid_t tid, void *arg), void *arg);

/* Returns whether a thread of the process blocks any signal of the set, according to /proc. */
bool census_blocks(pid_t tid, sys_sigset set);

#endif
