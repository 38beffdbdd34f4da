/* SPDX-License-Identifier: MIT
 *
 * recorder.h - the sink that writes samples to the recording: the pc of a thread, with its callers.
 */
#ifndef DWELL_RUNTIME_SAMPLING_RECORDER_H
#define DWELL_RUNTIME_SAMPLING_RECORDER_H

#include "runtime/process/entry.h"

/*
 * Returns the entry of a process whose calls are counted as well; after a fork, that of the child.
 * NULL: there is none. Any context.
 */
typedef const struct entry *recorder_entry(void);

/* The program to sample, as loaded by the dynamic linker. */
struct recorder_program {
	uintptr_t entry;  /* the entry point of the program */
	unsigned objects; /* loaded by the linker */
	uintptr_t stack;  /* an address near the upper end of the first thread's stack */
};

/*
 * Starts to sample all threads of the process. The recording is attached. entry NULL: the recorder
 * makes the entry. Returns 0 or -errno.
 */
int recorder_start(const struct recorder_program *program, recorder_entry *entry);

/* Makes the process's entry and the writers of its threads, before it restricts itself. */
void recorder_prepare(void);

/*
 * Settles all time, when the process is about to end. Any context, including the child of a vfork;
 * may be called more than once.
 */
void recorder_end(void);

#endif
