/* SPDX-License-Identifier: MIT
 *
 * threads.h - a struct calls_thread for each thread that makes a wrapped call, and a process in the
 * recording for each child of fork().
 */
#ifndef DWELL_RUNTIME_CALLS_THREADS_H
#define DWELL_RUNTIME_CALLS_THREADS_H

#include "calls.h"

/*
 * Returns that of the calling thread. NULL: there is no space for one, or the thread has no
 * thread-local variables, because libc did not create it.
 */
struct calls_thread *threads_this(void);

/*
 * Returns this process's entry in the recording; NULL: there is none. Any context, once the library
 * is relocated.
 */
const struct entry *threads_entry(void);

/* Registers this process if it was forked since the last time. */
void threads_after_fork(void);

/*
 * Makes all calls under way return to their callers without their stubs. Returns how many are in
 * the middle of something else. All other threads are stopped, outside of this library.
 */
uint64_t threads_put_back(void);

/* Forgets the recording, in all threads; they are outside of this library. */
void threads_rest(void);

#endif
