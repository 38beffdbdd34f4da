/* SPDX-License-Identifier: MIT
 *
 * stack_guard.h - interposes backtrace(): see stack_guard.c.
 */
#ifndef DWELL_RUNTIME_CALLS_STACK_GUARD_H
#define DWELL_RUNTIME_CALLS_STACK_GUARD_H

/* Returns the function behind a redirector, or else the address. Async-signal-safe. */
const void *stack_guard_redirected(const void *address);

#endif
