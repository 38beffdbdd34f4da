/* SPDX-License-Identifier: MIT
 *
 * stack_guard.h - backtrace() in front of libc's: see stack_guard.c.
 */
#ifndef DWELL_RUNTIME_CALLS_STACK_GUARD_H
#define DWELL_RUNTIME_CALLS_STACK_GUARD_H

/* Returns the function that a redirector stands for, or else the address. Async-signal-safe. */
const void *stack_guard_redirected(const void *address);

#endif
