/* SPDX-License-Identifier: MIT
 *
 * threads.h - a struct calls_thread for each thread that makes a wrapped call, and for each child
 * of fork() a process of its own in the recording.
 */
#ifndef DWELL_RUNTIME_CALLS_THREADS_H
#define DWELL_RUNTIME_CALLS_THREADS_H

#include "calls.h"

/* Returns that of the calling thread. NULL: there is no space for one, or the thread has no
 * thread-local variables: it was made past libc. */
struct calls_thread *threads_this(void);

/* Returns this process's entry in the recording; NULL: there is none. In any context, once the
 * library is relocated. */
const struct entry *threads_entry(void);

/* Takes note of it where this process was forked since the last time. */
void threads_after_fork(void);

#endif
