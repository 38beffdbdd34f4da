/* SPDX-License-Identifier: MIT
 *
 * blocked.h - where threads wait, for profiles of wall time.
 *
 * Now and then, a look at what /proc says of each thread: how long it has run, how long it has
 * waited for a CPU, and, if it is in a system call now, where. What is left of the time since the
 * last look is time that it was blocked, and becomes a sample. Nothing is stopped: a thread that is
 * traced would see system calls end with EINTR.
 */
#ifndef DWELL_ATTACH_BLOCKED_H
#define DWELL_ATTACH_BLOCKED_H

#include "attach/attach_state.h"

/* Whether that can be seen of a process. */
int blocked_check(pid_t pid, struct err *err);

/* A look at all threads, if it is time for one; `now` is as events have it. */
void blocked_look(struct attach *attach, uint64_t now);
/* A last one, whatever the time. */
void blocked_last_look(struct attach *attach, uint64_t now);

/* How long one may wait before the next look. */
int blocked_timeout(const struct attach *attach, uint64_t now, int timeout_ms);

#endif
