/* SPDX-License-Identifier: MIT
 *
 * blocked.h - where threads wait, for profiles of wall time.
 *
 * Now and then, a look at what /proc says of each thread: how long it has run, how long it has
 * waited for a CPU, and, if it is in a system call now, where. What is left of the time since the
 * last look is time that it was blocked, and becomes a sample. Nothing is stopped: a thread that is
 * traced would see system calls end with EINTR.
 *
 * Time that it waited for a CPU becomes a sample as well, when it is next seen to run: there, below
 * a frame of its own (PROCESS_NO_CPU). So all samples of a thread add up to its life.
 */
#ifndef DWELL_ATTACH_BLOCKED_H
#define DWELL_ATTACH_BLOCKED_H

#include "attach/attach_state.h"

/* Whether that can be seen of a process. */
int blocked_check(pid_t pid, struct err *err);

/* A thread that runs already, or is new: its time is ours from now on. */
void blocked_found(const struct attach *attach, struct watched_thread *thread, uint64_t now);
void blocked_born(struct watched_thread *thread, uint64_t time);

/* A sample of it was written, with the frames of `attach`, which are ours now. */
void blocked_ran(struct attach *attach, struct watched_thread *thread,
		 const struct watched_thread_sample *sample);

/* It ends at this time, or becomes another program. */
void blocked_leaves(struct attach *attach, struct watched_thread *thread, uint64_t time);

/* A look at all threads, if it is time for one; `now` is as events have it. */
void blocked_look(struct attach *attach, uint64_t now);
/* A last one, whatever the time. */
void blocked_last_look(struct attach *attach, uint64_t now);

/* How long one may wait before the next look. */
int blocked_timeout(const struct attach *attach, uint64_t now, int timeout_ms);

#endif
