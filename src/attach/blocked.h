/* SPDX-License-Identifier: MIT
 *
 * blocked.h - finds where threads wait, for profiles of wall time.
 *
 * Now and then, looks at each thread in /proc: how long it has run, how long it has waited for a
 * CPU, and, if it is in a system call now, where. The rest of the time since the last look is time
 * that it was blocked, and becomes a sample. Nothing is stopped: system calls of a traced thread
 * would end with EINTR.
 *
 * Time waiting for a CPU becomes a sample as well, when the thread is next seen to run: at that
 * place, below a special frame (PROCESS_NO_CPU). So all samples of a thread add up to its lifetime.
 */
#ifndef DWELL_ATTACH_BLOCKED_H
#define DWELL_ATTACH_BLOCKED_H

#include "attach/attach_state.h"

/* Checks that this can be seen for a process. */
int blocked_check(pid_t pid, struct err *err);

/* Starts with a thread that runs already, or is new: its time counts from now on. */
void blocked_found(const struct attach *attach, struct watched_thread *thread, uint64_t now);
void blocked_born(struct watched_thread *thread, uint64_t time);

/* Notes a written sample of it, with the frames of `attach`, which may be overwritten now. */
void blocked_ran(struct attach *attach, struct watched_thread *thread,
		 const struct watched_thread_sample *sample);

/* Notes that it becomes another program at this time. */
void blocked_leaves(struct attach *attach, struct watched_thread *thread, uint64_t time);
/* Notes that it ends at this time. Its CPU time up to the last look is settled. */
void blocked_ends(struct attach *attach, struct watched_thread *thread, uint64_t time);

/* Looks at all threads, if it is time; `now` is in the clock of events. */
void blocked_look(struct attach *attach, uint64_t now);
/* Looks a last time, unconditionally. */
void blocked_last_look(struct attach *attach, uint64_t now);

/* Returns how long to wait before the next look. */
int blocked_timeout(const struct attach *attach, uint64_t now, int timeout_ms);

#endif
