/* SPDX-License-Identifier: MIT
 *
 * callers.h - numbers for the callers of wrapped functions: call sites, objects, or paths of
 * wrapped functions. Each is written to the recording once per process; a child of fork() continues
 * the numbers of its parent.
 *
 * A search takes no lock. Adding one takes the lock of state.h, which the caller must not hold.
 */
#ifndef DWELL_RUNTIME_CALLS_CALLERS_H
#define DWELL_RUNTIME_CALLS_CALLERS_H

#include "calls.h"

/* Callers of a process. Beyond that, calls count for the calling object alone. */
#define CALLERS_MAX 65536

/* From that many on, call sites of scripts get no numbers. */
#define CALLERS_PAIRED 49152

/*
 * Returns the caller with that return address: a call site, or the object if it has no room.
 * script: the address of the function of a script that runs it, 0: none. A call site has a number
 * for each of these; where there are many, functions of scripts are callers without a call site.
 */
uint32_t callers_of_site(uintptr_t return_address, uint64_t script);

/* Returns the wrapped function of that number as a caller. */
uint32_t callers_of_function(uint32_t function, uint64_t script);

/*
 * Returns the wrapped function of that number as a caller that was called by `parent`, which is
 * such a caller or RECORD_NO_CALLER. If there is no room, or was none for the parent, returns the
 * function's object.
 */
uint32_t callers_of_path(uint32_t function, uint32_t parent);

/*
 * Returns the caller that a call of the function by `path` counts for: the path, or if the function
 * is on it already, the caller of that call. So a function is on a path once, and the number of
 * paths does not grow with the depth of recursion.
 */
uint32_t callers_fold(uint32_t function, uint32_t path);

/* Forgets all of them; no thread searches meanwhile. */
void callers_reset(void);

#endif
