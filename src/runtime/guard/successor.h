/* SPDX-License-Identifier: MIT
 *
 * successor.h - the program that is executed next: whether it can be recorded. The process may have
 * given up rights, gone where paths mean something else, or made an environment without us.
 *
 * If it cannot, since it may not open the recording, or since there is no library of ours where its
 * linker would look for it, it is counted, and executed without us: linkers complain of libraries
 * that they do not find, on the standard error of the program.
 *
 * In any context, in the child of vfork() as well; nothing touches errno.
 */
#ifndef DWELL_RUNTIME_GUARD_SUCCESSOR_H
#define DWELL_RUNTIME_GUARD_SUCCESSOR_H

#include <stddef.h>

#include "exec_guard.h"

/* How many bytes its environment takes without us; 0: it keeps the one that it is given. */
size_t successor_bytes(char *const envp[]);

/* That environment, in as many bytes of the caller's; from now on, the program is counted. */
char **successor_environment(char *const envp[], void *bytes);

/* The same for one whose environment cannot be changed. */
void successor_is_lost(void);

/* It was counted, and not executed. */
void successor_failed(void);

/* Takes us out of an environment, in place. */
void successor_leave_out(char **environment);

/* What is done at exec, for exec_guard_use(). */
extern const struct exec_environment successor_of_exec;

#endif
