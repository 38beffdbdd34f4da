/* SPDX-License-Identifier: MIT */
#include "attach/roster.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

static uint32_t place_of(const struct hash *hash, pid_t number)
{
	const uint32_t *place = hash_find(hash, (uint64_t)number);

	return place ? *place : HASH_NONE;
}

/* Of a number that has a place. */
static void set_place(const struct hash *hash, pid_t number, uint32_t place)
{
	*hash_find(hash, (uint64_t)number) = place;
}

struct thread *roster_thread(const struct roster *roster, pid_t tid)
{
	uint32_t place = place_of(&roster->by_tid, tid);

	return place == HASH_NONE ? NULL : roster->threads[place];
}

struct process *roster_process(const struct roster *roster, pid_t pid)
{
	uint32_t place = place_of(&roster->by_pid, pid);

	return place == HASH_NONE ? NULL : roster->processes[place];
}

int roster_add_process(struct roster *roster, struct process *process)
{
	struct process **more = vec_room(roster->processes, roster->process_count, sizeof(*more));
	uint32_t *place = hash_place(&roster->by_pid, (uint64_t)process->pid);

	if (more)
		roster->processes = more;
	if (!more || !place) {
		process_free(process);
		return -ENOMEM;
	}
	*place = (uint32_t)roster->process_count;
	more[roster->process_count++] = process;
	return 0;
}

void roster_drop(struct roster *roster, struct process *process)
{
	uint32_t place = place_of(&roster->by_pid, process->pid);
	struct process *last = roster->processes[--roster->process_count];

	roster->processes[place] = last;
	set_place(&roster->by_pid, last->pid, place);
	set_place(&roster->by_pid, process->pid, HASH_NONE);
	process_leave(process, &roster->remains);
	process_free(process);
}

int roster_add_thread(struct roster *roster, struct thread *thread)
{
	struct thread **more = vec_room(roster->threads, roster->thread_count, sizeof(*more));
	uint32_t *place = hash_place(&roster->by_tid, (uint64_t)thread->tid);

	if (more)
		roster->threads = more;
	if (!more || !place) {
		thread_free(thread);
		return -ENOMEM;
	}
	*place = (uint32_t)roster->thread_count;
	more[roster->thread_count++] = thread;
	return 0;
}

void roster_end(struct roster *roster, struct thread *thread)
{
	uint32_t place = place_of(&roster->by_tid, thread->tid);
	struct thread *last = roster->threads[--roster->thread_count];
	struct process *process = thread->process;

	roster->threads[place] = last;
	set_place(&roster->by_tid, last->tid, place);
	set_place(&roster->by_tid, thread->tid, HASH_NONE);
	account_move(&thread->account, &roster->ended);
	thread_free(thread);
	if (!process->threads)
		roster_drop(roster, process);
}

void roster_exec(struct roster *roster, struct thread *thread, struct process *process)
{
	struct process *before = thread->process;

	/* Its other threads have ended before it got here, whether we were told or not. */
	for (size_t i = roster->thread_count; i-- > 0;)
		if (roster->threads[i]->process == before && roster->threads[i] != thread)
			roster_end(roster, roster->threads[i]);
	thread_set_process(thread, process);
	roster->processes[place_of(&roster->by_pid, before->pid)] = process;
	process_leave(before, &roster->remains);
	process_free(before);
}

/* Those of a thread that goes on in another program are where it was before. */
static bool has_open(struct roster *roster)
{
	for (size_t i = 0; i < roster->thread_count; i++) {
		struct thread *thread = roster->threads[i];

		if (!thread->account.open_count)
			thread->is_elsewhere = false;
		if (thread->is_elsewhere)
			return true;
	}
	return roster->ended.open_count;
}

void roster_let_go(struct roster *roster, const void *kept)
{
	if (!has_open(roster))
		remains_unmap(&roster->remains, kept);
}

void roster_free(struct roster *roster)
{
	while (roster->thread_count)
		roster_end(roster, roster->threads[roster->thread_count - 1]);
	while (roster->process_count)
		roster_drop(roster, roster->processes[roster->process_count - 1]);
	free(roster->threads);
	free(roster->processes);
	hash_free(&roster->by_tid);
	hash_free(&roster->by_pid);
	account_free(&roster->ended);
	remains_free(&roster->remains);
	*roster = (struct roster){ 0 };
}
