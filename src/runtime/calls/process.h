/* SPDX-License-Identifier: MIT
 *
 * process.h - this process in the recording.
 */
#ifndef DWELL_RUNTIME_CALLS_PROCESS_H
#define DWELL_RUNTIME_CALLS_PROCESS_H

#include "calls.h"

/* Makes the process's segment; forked: of a child that goes on with its parent's functions. Where
 * there is no space for one nothing is counted. */
void process_start(bool forked);

/* Private memory that fork() empties; NULL: there is none. */
void *process_memory(size_t size);

/* Adds to one of the counts of what was lost. */
void process_lost(uint64_t *count);

#endif
