/* SPDX-License-Identifier: MIT
 *
 * watched_roster.h - the processes and threads that are watched and live, by their numbers.
 */
#ifndef DWELL_ATTACH_WATCHED_ROSTER_H
#define DWELL_ATTACH_WATCHED_ROSTER_H

#include "attach/watched_thread.h"

/* Starts as all zeroes. */
struct watched_roster {
	struct watched_thread **threads;
	size_t thread_count;
	struct watched_process **processes;
	size_t process_count;
	struct hash by_tid, by_pid; /* -> place; HASH_NONE: it has ended */
	struct account ended;       /* of all threads that have */
	struct unmapping unmapping; /* of processes that have; samples of `ended` may be there */
};

/* NULL: there is none. */
struct watched_thread *watched_roster_thread(const struct watched_roster *roster, pid_t tid);
struct watched_process *watched_roster_process(const struct watched_roster *roster, pid_t pid);

/* Takes over what is added, also if it fails: 0 or -ENOMEM. Threads are those of processes that are
 * there. */
int watched_roster_add_thread(struct watched_roster *roster, struct watched_thread *thread);
int watched_roster_add_process(struct watched_roster *roster, struct watched_process *process);

/* A process that has no threads after all. */
void watched_roster_drop(struct watched_roster *roster, struct watched_process *process);

/* A thread has ended, and its process if it was the last one. */
void watched_roster_end(struct watched_roster *roster, struct watched_thread *thread);

/* The thread has called exec(): it goes on alone in another process of the same number, which is
 * taken over. */
void watched_roster_exec(struct watched_roster *roster, struct watched_thread *thread,
			 struct watched_process *process);

/* Lets go of what processes that have ended had mapped, but for what `kept` is in, once all samples
 * there are settled. */
void watched_roster_let_go(struct watched_roster *roster, const void *kept);

void watched_roster_free(struct watched_roster *roster);

#endif
