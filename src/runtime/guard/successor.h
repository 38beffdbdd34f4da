/* SPDX-License-Identifier: MIT
 *
 * successor.h - the program that is executed next, and whether it can be recorded. The process may
 * have given up rights, moved to where paths differ, or made an environment without us.
 *
 * A program that may not open the recording, or would not find our library, is counted, and
 * executed without us: linkers print an error about libraries that they do not find, on the
 * standard error of the program.
 *
 * Any context, including the child of vfork(); errno is not changed.
 */
#ifndef DWELL_RUNTIME_GUARD_SUCCESSOR_H
#define DWELL_RUNTIME_GUARD_SUCCESSOR_H

#include <stddef.h>

#include "exec_guard.h"

/* Returns the size of its environment without us in bytes; 0: it keeps the given one. */
size_t successor_bytes(char *const envp[]);

/* Makes that environment, in as many bytes of the caller's, and counts the program. */
char **successor_environment(char *const envp[], void *bytes);

/* Counts a program whose environment cannot be changed. */
void successor_is_lost(void);

/* Takes a program back that was counted, and not executed. */
void successor_failed(void);

/* Removes us from an environment, in place. */
void successor_leave_out(char **environment);

/* The functions for exec_guard_use(). */
extern const struct exec_environment successor_of_exec;

#endif
