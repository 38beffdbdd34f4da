/* SPDX-License-Identifier: MIT
 *
 * census.h - which threads the process has, by asking the kernel.
 */
#ifndef DWELL_RUNTIME_SAMPLER_CENSUS_H
#define DWELL_RUNTIME_SAMPLER_CENSUS_H

#include <stdbool.h>
#include <sys/types.h>

#include "sys.h"

/*
 * Calls visit for each thread of the process. 0, or -errno where /proc is not to be had; visit may
 * have been called for some then. Async-signal-safe.
 */
int census_take(void (*visit)(pid_t tid, void *arg), void *arg);

/* Whether a thread of the process blocks any signal of the set, as far as /proc tells. */
bool census_blocks(pid_t tid, sys_sigset set);

#endif
