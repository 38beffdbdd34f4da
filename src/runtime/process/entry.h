/* SPDX-License-Identifier: MIT
 *
 * entry.h - the segments of one process in the recording.
 */
#ifndef DWELL_RUNTIME_PROCESS_ENTRY_H
#define DWELL_RUNTIME_PROCESS_ENTRY_H

#include <stdbool.h>

#include "recording/write/room.h"

struct entry {
	struct record_process *process; /* NULL: there is no space */
	uint64_t segment;               /* offset in the file; 0: none */
	struct room names;              /* for the names that the process writes */
	bool has_calls;                 /* calls/threads.c counts the threads and writes names */
};

/*
 * Makes the entry of this process. parent NULL: it is a new program; otherwise it was forked from
 * the parent, whose mapping it replaces if that has no names. Call instant_init() first.
 */
void entry_make(struct entry *entry, const struct entry *parent);

/*
 * Updates the name of a forked child to what it calls itself now; an exec'd program keeps its
 * arguments. Any context.
 */
void entry_rename(const struct entry *entry);

/*
 * Returns a segment for the calling thread, and its room. old: the thread's segment in the parent,
 * which this replaces in memory, or NULL. Returns NULL if there is no space.
 */
struct record_thread *entry_thread(const struct entry *entry, struct record_thread *old,
				   struct room *room);

#endif
