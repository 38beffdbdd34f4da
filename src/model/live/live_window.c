/* SPDX-License-Identifier: MIT */
#include "live_window.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define TIDY_S 2.0 /* between two searches for ended processes */

static void add(struct profile_amount *to, const struct profile_amount *amount)
{
	to->samples += amount->samples;
	to->ns += amount->ns;
}

int live_fold_add(struct live_fold *fold, const struct live_entry *entry, struct err *err)
{
	uint32_t *place = hash_place(&fold->places, (uint64_t)entry->node << 32 | entry->thread);
	struct live_entry *more;

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		more = vec_room(fold->entries, fold->count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		fold->entries = more;
		*place = (uint32_t)fold->count++;
		more[*place] = (struct live_entry){ .node = entry->node, .thread = entry->thread };
	}
	add(&fold->entries[*place].amount, &entry->amount);
	add(&fold->entries[*place].waiting, &entry->waiting);
	return 0;
}

void live_fold_clear(struct live_fold *fold)
{
	free(fold->entries);
	hash_free(&fold->places);
	*fold = (struct live_fold){ 0 };
}

static uint64_t thread_key(const struct live_thread *thread)
{
	return hash_bytes(thread->tid, &thread->process, sizeof(thread->process));
}

int live_thread_find(struct live *live, const struct live_thread *wanted, uint32_t *number,
		     struct err *err)
{
	/* Others with the same key have the next keys. */
	for (uint64_t key = thread_key(wanted);; key++) {
		uint32_t *place = hash_place(&live->by_tid, key);
		struct live_thread *more, *found;

		if (!place)
			return err_no_memory(err);
		if (*place == HASH_NONE) {
			more = vec_room(live->threads, live->thread_count, sizeof(*more));
			if (!more)
				return err_no_memory(err);
			live->threads = more;
			*place = (uint32_t)live->thread_count++;
			more[*place] = *wanted;
		}
		found = &live->threads[*place];
		if (found->process == wanted->process && found->tid == wanted->tid) {
			*found = *wanted;
			*number = *place;
			return 0;
		}
	}
}

/* ---- removal ---- */

/* The nodes and threads that stay, with their new numbers. */
struct keeping {
	uint32_t *nodes, *threads;
};

static void mark(const struct live_fold *fold, struct keeping *keeping)
{
	for (size_t i = 0; i < fold->count; i++) {
		keeping->nodes[fold->entries[i].node] = 0;
		keeping->threads[fold->entries[i].thread] = 0;
	}
}

/* Renumbers a fold. Returns 0, or -errno and leaves it empty. */
static int renumber(struct live_fold *fold, const struct keeping *keeping, struct err *err)
{
	struct live_fold fresh = { 0 };
	int status = 0;

	for (size_t i = 0; i < fold->count && !status; i++) {
		struct live_entry entry = fold->entries[i];

		entry.node = keeping->nodes[entry.node];
		entry.thread = keeping->threads[entry.thread];
		status = live_fold_add(&fresh, &entry, err);
	}
	live_fold_clear(fold);
	if (status)
		live_fold_clear(&fresh);
	*fold = fresh;
	return status;
}

static int compact_threads(struct live *live, struct keeping *keeping, struct err *err)
{
	struct live_thread *before = live->threads;
	size_t count = live->thread_count;
	int status = 0;

	hash_free(&live->by_tid);
	live->threads = NULL;
	live->thread_count = 0;
	for (size_t i = 0; i < count && !status; i++)
		if (keeping->threads[i] != HASH_NONE)
			status = live_thread_find(live, &before[i], &keeping->threads[i], err);
	free(before);
	return status;
}

static int keep(struct live *live, struct keeping *keeping, struct err *err)
{
	int status;

	memset(keeping->nodes, 0xff, live->stacks.tree.count * sizeof(*keeping->nodes));
	memset(keeping->threads, 0xff, live->thread_count * sizeof(*keeping->threads));
	mark(&live->window.fold, keeping);
	for (size_t i = 0; i < live->bucket_count; i++)
		mark(&live->buckets[i].fold, keeping);
	for (size_t i = 0; i < live->pending_count; i++)
		keeping->threads[live->pending[i].thread] = 0;
	status = live_stacks_compact(&live->stacks, keeping->nodes, err);
	if (!status)
		status = compact_threads(live, keeping, err);
	for (size_t i = 0; i < live->pending_count && !status; i++)
		live->pending[i].thread = keeping->threads[live->pending[i].thread];
	if (!status)
		status = renumber(&live->window.fold, keeping, err);
	for (size_t i = 0; i < live->bucket_count && !status; i++)
		status = renumber(&live->buckets[i].fold, keeping, err);
	return status;
}

/* Drops everything: their numbers may be invalid. */
static void drop_all(struct live *live)
{
	live_fold_clear(&live->window.fold);
	for (size_t i = 0; i < live->bucket_count; i++)
		live_fold_clear(&live->buckets[i].fold);
	live->pending_count = 0;
}

static int compact(struct live *live, struct err *err)
{
	struct keeping keeping = {
		.nodes = calloc(live->stacks.tree.count + 1, sizeof(uint32_t)),
		.threads = calloc(live->thread_count + 1, sizeof(uint32_t)),
	};
	int status =
		keeping.nodes && keeping.threads ? keep(live, &keeping, err) : err_no_memory(err);

	free(keeping.nodes);
	free(keeping.threads);
	if (status)
		drop_all(live);
	/* If most of it was in use, the next time is to be later. */
	while (live->stacks.tree.count > live->nodes_limit / 2)
		live->nodes_limit *= 2;
	while (live->thread_count > live->threads_limit / 2)
		live->threads_limit *= 2;
	return status;
}

/* Returns true if a process gets no more samples, and none of it is shown: it has ended, or become
 * another program, which has its own entry. */
static bool is_over(const struct live *live, const struct live_process *process)
{
	const struct live_stacks *stacks = &live->stacks;
	bool is_there = process->record.pid && !kill((pid_t)process->record.pid, 0);

	if (process->seen + live->bucket_count >= live->now)
		return false;
	if (!is_there && process->record.pid && errno == EPERM)
		is_there = true;
	for (size_t i = 0; i < stacks->process_count && is_there; i++)
		if (stacks->processes[i]->record.pid == process->record.pid &&
		    stacks->processes[i]->offset > process->offset)
			is_there = false;
	return !is_there && !live_stacks_is_parent(stacks, process);
}

static void forget_ended(struct live *live)
{
	struct live_stacks *stacks = &live->stacks;

	for (size_t i = stacks->process_count; i-- > 0;) {
		struct live_process *process = stacks->processes[i];

		if (!is_over(live, process))
			continue;
		if (!live->options.keep)
			tail_forget(&live->tail, process->offset);
		live_stacks_forget(stacks, process);
	}
}

int live_tidy(struct live *live, struct err *err)
{
	int status = 0;

	if (live->stacks.tree.count > live->nodes_limit || live->thread_count > live->threads_limit)
		status = compact(live, err);
	if (live->seconds - live->tidied_s >= TIDY_S) {
		live->tidied_s = live->seconds;
		forget_ended(live);
	}
	return status;
}
