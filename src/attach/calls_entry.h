/* SPDX-License-Identifier: MIT
 *
 * calls_entry.h - processes whose calls are counted while they are sampled: the runtime in each of
 * them has made its entry in the recording, and stubs of the runtime are on its stacks.
 */
#ifndef DWELL_ATTACH_CALLS_ENTRY_H
#define DWELL_ATTACH_CALLS_ENTRY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/calls_callers.h"
#include "attach/walker.h"

/* The facts that the runtime reports about its process. */
struct calls_entry {
	pid_t pid;
	uint64_t segment; /* of its RECORD_PROCESS; 0: there is none */
	uint64_t stubs, stubs_bytes;
};

/* A recording that the sampled processes write to themselves. */
struct calls_shared {
	int recording; /* descriptor */
	const struct calls_entry *entries;
	size_t count;
};

/* Returns the entry of a process; all zeroes: it has none. shared may be NULL. */
struct calls_entry calls_entry_find(const struct calls_shared *shared, pid_t pid);

/* Walks a stack again, with some words of memory as they were at its sample. */
struct calls_walk {
	void (*walk)(void *argument, const struct walker_stack *stack,
		     struct walker_frames *frames);
	void *argument;
	struct calls_callers *callers; /* of the process */
};

/*
 * Corrects the frames of a sample that was taken at `time`, in the recording's clock. The caller of
 * a stub is in a slot of the runtime, not on the stack, and the slot is used again by the next call
 * of the thread, maybe before the stack is walked. A slot with a later call from the same place of
 * the stack, or with one that has returned, makes the callers uncertain. With any other call, or if
 * they do not lead to the thread's first function, the callers that the place has had before are
 * tried: one that leads there is likely. Otherwise the stack ends there. Adds words to the stack;
 * `walk` NULL: no other callers are known.
 */
void calls_entry_doubt(const struct calls_entry *entry, const struct calls_walk *walk,
		       struct walker_stack *stack, uint64_t time, struct walker_frames *frames);

/* Corrects the frames of a walk in that way. Allocates *callers, which is NULL at first; free it.
 */
void calls_entry_check(const struct calls_entry *entry, struct calls_callers **callers,
		       struct walker *walker, struct walker_stack *stack, uint64_t time,
		       struct walker_frames *frames);

#endif
