/* SPDX-License-Identifier: MIT
 *
 * recorder.h - the sink that writes samples to the recording: where a thread was, with its callers.
 */
#ifndef DWELL_RUNTIME_SAMPLING_RECORDER_H
#define DWELL_RUNTIME_SAMPLING_RECORDER_H

#include "runtime/process/entry.h"

/*
 * The process's entry, where another runtime has one in the same recording: it is shared. After a
 * fork, that of the child. May be called in any context. NULL: there is no such runtime.
 */
typedef const struct entry *recorder_shared_entry(void);

/* The other runtime's part of the recording: mends it after a fault of its own, see room_mend(). */
typedef bool recorder_shared_mend(const void *address, uintptr_t pc);

/* What is sampled, as the dynamic linker has left it. */
struct recorder_program {
	uintptr_t linker; /* an address in it, to which time goes that was used before */
	uintptr_t entry;  /* where the program begins */
	unsigned objects; /* how many the linker has loaded */
	uintptr_t stack;  /* an address near the upper end of the first thread's stack */
};

/* What another runtime in the same process shares; all NULL: there is none. */
struct recorder_shared {
	recorder_shared_entry *entry;
	recorder_shared_mend *mend;
};

/* The recording is attached. Starts to sample all threads of the process. 0 or -errno. */
int recorder_start(const struct recorder_shared *shared, const struct recorder_program *program);

/* The process is about to restrict itself: its entry and the writers of its threads are made now.
 */
void recorder_prepare(void);

/* The process is about to end. In any context, in the child of a vfork as well; may be called more
 * than once. */
void recorder_end(void);

#endif
