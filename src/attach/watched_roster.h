/* SPDX-License-Identifier: MIT
 *
 * watched_roster.h - the watched, living processes and threads, by number.
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
	struct hash by_tid, by_pid; /* -> index; HASH_NONE: ended */
	struct account ended;       /* of all ended threads */
	struct unmapping unmapping; /* of ended processes; samples of `ended` may be there */
};

/* Returns NULL if there is none. */
struct watched_thread *watched_roster_thread(const struct watched_roster *roster, pid_t tid);
struct watched_process *watched_roster_process(const struct watched_roster *roster, pid_t pid);

/* Takes ownership of the argument, even on failure. Returns 0 or -ENOMEM. A thread's process must
 * be in the roster. */
int watched_roster_add_thread(struct watched_roster *roster, struct watched_thread *thread);
int watched_roster_add_process(struct watched_roster *roster, struct watched_process *process);

/* Removes a process that turned out to have no threads. */
void watched_roster_drop(struct watched_roster *roster, struct watched_process *process);

/* Ends a thread, and its process if it was the last one. */
void watched_roster_end(struct watched_roster *roster, struct watched_thread *thread);

/* Notes an exec() of the thread, the only one of its process: it continues in another process of
 * the same number. Takes ownership of that process. */
void watched_roster_exec(struct watched_roster *roster, struct watched_thread *thread,
			 struct watched_process *process);

/* Takes all accounts as they are. */
void watched_roster_accept(struct watched_roster *roster);

/* Unmaps the parts of ended processes, except for the one that `kept` is in, once all samples there
 * are settled. */
void watched_roster_let_go(struct watched_roster *roster, const void *kept);

void watched_roster_free(struct watched_roster *roster);

#endif
