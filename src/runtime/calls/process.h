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

/* Adds to one of the counts of lost data. */
void process_lost(uint64_t *count);

#endif
