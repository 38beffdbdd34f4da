/* SPDX-License-Identifier: MIT
 *
 * callers.h - numbers for the places that call wrapped functions. Each is written to the recording
 * once per process; a child of fork() continues the numbers of its parent.
 *
 * A search takes no lock. Adding one takes the lock of state.h, which the caller must not hold.
 */
#ifndef DWELL_RUNTIME_CALLS_CALLERS_H
#define DWELL_RUNTIME_CALLS_CALLERS_H

#include "calls.h"

/* Callers of a process. Beyond that, calls count for the calling object alone. */
#define CALLERS_MAX 65536

/* Returns the caller with that return address: a call site, or the object if it has no room. */
uint32_t callers_of_site(uintptr_t return_address);

/* Returns the wrapped function of that number as a caller. */
uint32_t callers_of_function(uint32_t function);

/* Forgets all of them; no thread searches meanwhile. */
void callers_reset(void);

#endif
