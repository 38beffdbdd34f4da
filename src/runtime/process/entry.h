/* SPDX-License-Identifier: MIT
 *
 * entry.h - what a process has of its own in the recording.
 */
#ifndef DWELL_RUNTIME_PROCESS_ENTRY_H
#define DWELL_RUNTIME_PROCESS_ENTRY_H

#include <stdbool.h>

#include "recording/write/room.h"

struct entry {
	struct record_process *process; /* NULL: there is no space for one */
	uint64_t segment;               /* where it is in the file; 0: nowhere */
	struct room names;              /* for what the process has to say */
	bool has_calls;                 /* calls/threads.c counts the threads, and writes names */
};

/* Makes the entry of this process; parent NULL: it is a new program, else it was forked from there,
 * and takes its place in memory if that has no names. instant_init() must have been called. */
void entry_make(struct entry *entry, const struct entry *parent);

/* The child of a fork is called what it calls itself by now; what was exec'd keeps the arguments
 * that it had. In any context. */
void entry_rename(const struct entry *entry);

/* A segment for the calling thread, and its room; old: it is mapped in the place of that one, which
 * the thread had in the parent, or NULL. NULL: there is no space. */
struct record_thread *entry_thread(const struct entry *entry, struct record_thread *old,
				   struct room *room);

#endif
