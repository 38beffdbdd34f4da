/* SPDX-License-Identifier: MIT */
#include "attach/watched_roster.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

static uint32_t place_of(const struct hash *hash, pid_t number)
{
	const uint32_t *place = hash_find(hash, (uint64_t)number);

	return place ? *place : HASH_NONE;
}

/* Sets the place of a number that has one. */
static void set_place(const struct hash *hash, pid_t number, uint32_t place)
{
	*hash_find(hash, (uint64_t)number) = place;
}

struct watched_thread *watched_roster_thread(const struct watched_roster *roster, pid_t tid)
{
	uint32_t place = place_of(&roster->by_tid, tid);

	return place == HASH_NONE ? NULL : roster->threads[place];
}

struct watched_process *watched_roster_process(const struct watched_roster *roster, pid_t pid)
{
	uint32_t place = place_of(&roster->by_pid, pid);

	return place == HASH_NONE ? NULL : roster->processes[place];
}

int watched_roster_add_process(struct watched_roster *roster, struct watched_process *process)
{
	struct watched_process **more =
		vec_room(roster->processes, roster->process_count, sizeof(*more));
	uint32_t *place = hash_place(&roster->by_pid, (uint64_t)process->pid);

	if (more)
		roster->processes = more;
	if (!more || !place) {
		watched_process_free(process);
		return -ENOMEM;
	}
	*place = (uint32_t)roster->process_count;
	more[roster->process_count++] = process;
	return 0;
}

void watched_roster_drop(struct watched_roster *roster, struct watched_process *process)
{
	uint32_t place = place_of(&roster->by_pid, process->pid);
	struct watched_process *last = roster->processes[--roster->process_count];

	roster->processes[place] = last;
	set_place(&roster->by_pid, last->pid, place);
	set_place(&roster->by_pid, process->pid, HASH_NONE);
	watched_process_leave(process, &roster->unmapping);
	watched_process_free(process);
}

int watched_roster_add_thread(struct watched_roster *roster, struct watched_thread *thread)
{
	struct watched_thread **more =
		vec_room(roster->threads, roster->thread_count, sizeof(*more));
	uint32_t *place = hash_place(&roster->by_tid, (uint64_t)thread->tid);

	if (more)
		roster->threads = more;
	if (!more || !place) {
		watched_thread_free(thread);
		return -ENOMEM;
	}
	*place = (uint32_t)roster->thread_count;
	more[roster->thread_count++] = thread;
	return 0;
}

void watched_roster_end(struct watched_roster *roster, struct watched_thread *thread)
{
	uint32_t place = place_of(&roster->by_tid, thread->tid);
	struct watched_thread *last = roster->threads[--roster->thread_count];
	struct watched_process *process = thread->process;

	roster->threads[place] = last;
	set_place(&roster->by_tid, last->tid, place);
	set_place(&roster->by_tid, thread->tid, HASH_NONE);
	account_move(&thread->account, &roster->ended);
	watched_thread_free(thread);
	if (!process->threads)
		watched_roster_drop(roster, process);
}

void watched_roster_exec(struct watched_roster *roster, struct watched_thread *thread,
			 struct watched_process *process)
{
	struct watched_process *before = thread->process;

	watched_thread_set_process(thread, process);
	roster->processes[place_of(&roster->by_pid, before->pid)] = process;
	watched_process_leave(before, &roster->unmapping);
	watched_process_free(before);
}

/* Returns true if a sample in an ended process is open. Open samples of a thread that continues in
 * another program are in the one before. */
static bool has_open(struct watched_roster *roster)
{
	for (size_t i = 0; i < roster->thread_count; i++) {
		struct watched_thread *thread = roster->threads[i];

		if (!thread->account.open_count)
			thread->is_elsewhere = false;
		if (thread->is_elsewhere)
			return true;
	}
	return roster->ended.open_count;
}

void watched_roster_accept(struct watched_roster *roster)
{
	for (size_t i = 0; i < roster->thread_count; i++)
		account_accept(&roster->threads[i]->account);
	account_accept(&roster->ended);
}

void watched_roster_let_go(struct watched_roster *roster, const void *kept)
{
	if (has_open(roster))
		return;
	account_forget(&roster->ended);
	unmapping_unmap(&roster->unmapping, kept);
}

void watched_roster_free(struct watched_roster *roster)
{
	while (roster->thread_count)
		watched_roster_end(roster, roster->threads[roster->thread_count - 1]);
	while (roster->process_count)
		watched_roster_drop(roster, roster->processes[roster->process_count - 1]);
	free(roster->threads);
	free(roster->processes);
	hash_free(&roster->by_tid);
	hash_free(&roster->by_pid);
	account_free(&roster->ended);
	unmapping_free(&roster->unmapping);
	*roster = (struct watched_roster){ 0 };
}
