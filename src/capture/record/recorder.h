/* SPDX-License-Identifier: MIT
 *
 * recorder.h - the sink that writes samples to the recording: where a thread was, with its callers.
 */
#ifndef DWELL_CAPTURE_RECORDER_H
#define DWELL_CAPTURE_RECORDER_H

#include "capture/entry.h"

/*
 * The process's entry, where another runtime has one in the same recording: it is shared. After a
 * fork, that of the child. May be called in any context. NULL: there is no such runtime.
 */
typedef const struct entry *recorder_shared_entry(void);

/* The recording is attached. Starts to sample all threads of the process. linker: an address in the
 * dynamic linker, to which time goes that was used before; program: where the program begins. 0 or
 * -errno. */
int recorder_start(recorder_shared_entry *shared, uintptr_t linker, uintptr_t program);

#endif
