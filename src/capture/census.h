/* SPDX-License-Identifier: MIT
 *
 * census.h - which threads the process has, by asking the kernel.
 */
#ifndef DWELL_CAPTURE_CENSUS_H
#define DWELL_CAPTURE_CENSUS_H

#include <sys/types.h>

/*
 * Calls visit for each thread of the process. 0, or -errno where /proc is not to be had; visit may
 * have been called for some then. Async-signal-safe.
 */
int census_take(void (*visit)(pid_t tid, void *arg), void *arg);

#endif
