/* SPDX-License-Identifier: MIT
 *
 * process.h - this process in the recording.
 */
#ifndef DWELL_RUNTIME_CALLS_PROCESS_H
#define DWELL_RUNTIME_CALLS_PROCESS_H

#include "calls.h"

/*
 * Makes the process's segment; forked: for a child that continues with its parent's functions.
 * Without space for one, nothing is counted.
 */
void process_start(bool forked);

/* Returns private memory that fork() wipes; NULL: there is none. */
void *process_memory(size_t size);

/*
 * Sets memory aside for process_memory(), before the process enters a sandbox that may not allow
 * it. Called by one thread at a time.
 */
void process_prepare(void);

/* Adds to one of the counts of lost data. */
void process_lost(uint64_t *count);

#endif
