/* SPDX-License-Identifier: MIT
 *
 * refusal.h - why a process cannot be watched from outside, in a sentence that says what to do.
 */
#ifndef DWELL_ATTACH_REFUSAL_H
#define DWELL_ATTACH_REFUSAL_H

#include <sys/types.h>

#include "base/err.h"

/* That there is such a process, and that it is no thread of the kernel. */
int refusal_check(pid_t pid, struct err *err);

/* What perf_event_open() has answered for a process, or for ourselves if pid is 0. Answers -EACCES
 * or -ENOSYS where no process at all can be watched here. */
int refusal_explain(int answer, pid_t pid, struct err *err);

#endif
