/* SPDX-License-Identifier: MIT
 *
 * recorder.h - the sink that writes samples to the recording: where a thread was, with its callers.
 */
#ifndef DWELL_RUNTIME_SAMPLING_RECORDER_H
#define DWELL_RUNTIME_SAMPLING_RECORDER_H

#include "runtime/process/entry.h"

/* Returns the entry of a process whose calls are counted as well; after a fork, that of the child.
 * NULL: there is none. In any context. */
typedef const struct entry *recorder_entry(void);

/* What is sampled, as the dynamic linker has left it. */
struct recorder_program {
	uintptr_t linker; /* an address in it, to which time goes that was used before */
	uintptr_t entry;  /* where the program begins */
	unsigned objects; /* how many the linker has loaded */
	uintptr_t stack;  /* an address near the upper end of the first thread's stack */
};

/* The recording is attached. Starts to sample all threads of the process. entry NULL: the recorder
 * makes the entry. 0 or -errno. */
int recorder_start(const struct recorder_program *program, recorder_entry *entry);

/* The process is about to restrict itself: its entry and the writers of its threads are made now.
 */
void recorder_prepare(void);

/* The process is about to end. In any context, in the child of a vfork as well; may be called more
 * than once. */
void recorder_end(void);

#endif
