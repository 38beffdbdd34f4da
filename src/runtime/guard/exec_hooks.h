/* SPDX-License-Identifier: MIT
 *
 * exec_hooks.h - what a library does where exec_guard.c stands: each library defines these.
 *
 * In any context, in the child of vfork() as well. None allocates, waits, or touches errno, which
 * after a failed exec says why.
 */
#ifndef DWELL_RUNTIME_GUARD_EXEC_HOOKS_H
#define DWELL_RUNTIME_GUARD_EXEC_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

/* A program is about to be executed. How many bytes its environment takes, if it is to have another
 * than this one; 0: it is not. */
size_t exec_begins(char *const envp[]);

/* That environment, in as many bytes of the caller's. */
char **exec_environment(char *const envp[], void *bytes);

/* No program was executed; is_other: it would have had another environment. */
void exec_failed(bool is_other);

#endif
