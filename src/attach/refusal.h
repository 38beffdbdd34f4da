/* SPDX-License-Identifier: MIT
 *
 * refusal.h - explains why a process cannot be watched from outside, in a sentence that says what
 * to do.
 */
#ifndef DWELL_ATTACH_REFUSAL_H
#define DWELL_ATTACH_REFUSAL_H

#include <sys/types.h>

#include "base/err.h"

/* Checks that the process exists, and is not a kernel thread. */
int refusal_check(pid_t pid, struct err *err);

/* Explains the error of perf_event_open() for a process, or for ourselves if pid is 0. Returns
 * -EACCES or -ENOSYS if no process at all can be watched here. */
int refusal_explain(int code, pid_t pid, struct err *err);

#endif
