/* SPDX-License-Identifier: MIT
 *
 * roster.h - the processes and threads that are watched and live, by their numbers.
 */
#ifndef DWELL_ATTACH_ROSTER_H
#define DWELL_ATTACH_ROSTER_H

#include "attach/thread.h"

/* Starts as all zeroes. */
struct roster {
	struct thread **threads;
	size_t thread_count;
	struct process **processes;
	size_t process_count;
	struct hash by_tid, by_pid; /* -> place; HASH_NONE: it has ended */
	struct account ended;       /* of all threads that have */
	struct remains remains;     /* of processes that have; samples of `ended` may be there */
};

/* NULL: there is none. */
struct thread *roster_thread(const struct roster *roster, pid_t tid);
struct process *roster_process(const struct roster *roster, pid_t pid);

/* Takes over what is added, also if it fails: 0 or -ENOMEM. Threads are those of processes that are
 * there. */
int roster_add_thread(struct roster *roster, struct thread *thread);
int roster_add_process(struct roster *roster, struct process *process);

/* A process that has no threads after all. */
void roster_drop(struct roster *roster, struct process *process);

/* A thread has ended, and its process if it was the last one. */
void roster_end(struct roster *roster, struct thread *thread);

/* The thread has called exec(): it goes on alone in another process of the same number, which is
 * taken over. */
void roster_exec(struct roster *roster, struct thread *thread, struct process *process);

/* Lets go of what processes that have ended had mapped, but for what `kept` is in, once all samples
 * there are settled. */
void roster_let_go(struct roster *roster, const void *kept);

void roster_free(struct roster *roster);

#endif
