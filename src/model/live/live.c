/* SPDX-License-Identifier: MIT */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "live_window.h"

#define NODES_LIMIT   ((size_t)1 << 18)
#define THREADS_LIMIT ((size_t)1 << 12)

static uint64_t buckets_of(double seconds)
{
	return (uint64_t)(seconds * 1e9 / (double)LIVE_BUCKET_NS + 0.999999);
}

int live_open(struct live *live, const char *path, const struct live_options *options,
	      struct err *err)
{
	int status;

	*live = (struct live){ .options = *options,
			       .in_window = buckets_of(options->window_s),
			       .nodes_limit = NODES_LIMIT,
			       .threads_limit = THREADS_LIMIT };
	/* Beyond the window: one being filled, and some for late samples. */
	live->bucket_count = live->in_window + 2 + buckets_of((double)options->lag_ns / 1e9);
	live->buckets = calloc(live->bucket_count, sizeof(*live->buckets));
	if (!live->buckets)
		return err_no_memory(err);
	status = tail_open(&live->tail, path, err);
	if (status) {
		free(live->buckets);
		return status;
	}
	status = live_stacks_init(&live->stacks,
				  &(struct functions_style){ .mangled = options->mangled,
							     .no_inline = options->no_inline },
				  live->tail.header.started_unix_ns, err);
	if (status) {
		tail_close(&live->tail);
		free(live->buckets);
	}
	return status;
}

void live_close(struct live *live)
{
	for (size_t i = 0; i < live->bucket_count; i++)
		live_fold_clear(&live->buckets[i].fold);
	live_fold_clear(&live->window.fold);
	free(live->buckets);
	free(live->threads);
	free(live->pending);
	hash_free(&live->by_tid);
	live_stacks_fini(&live->stacks);
	tail_close(&live->tail);
}

/* ---- contents of the recording ---- */

static int take_process(void *argument, uint64_t offset, const struct record_process *process,
			struct err *err)
{
	struct live *live = argument;
	int status = live_stacks_add_process(&live->stacks, offset, process, err);

	if (!status)
		live_stacks_process(&live->stacks, offset)->seen = live->now;
	return status;
}

static int take_map(void *argument, uint64_t process, const struct record_item *item,
		    struct err *err)
{
	struct live *live = argument;

	return live_stacks_add_map(&live->stacks, process, item, err);
}

static int take_frames(void *argument, uint64_t process, uint32_t first,
		       const struct record_frame *frames, uint32_t count, struct err *err)
{
	struct live *live = argument;

	return live_stacks_add_frames(&live->stacks, process, first, frames, count, err);
}

static int keep_pending(struct live *live, struct live_pending pending, struct err *err)
{
	struct live_pending *more = vec_room(live->pending, live->pending_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	live->pending = more;
	live->pending[live->pending_count++] = pending;
	return 0;
}

/* Keeps samples until everything has been read: then the process of their frames is known. */
static int take_samples(void *argument, uint64_t process, const struct tail_samples *samples,
			struct err *err)
{
	struct live *live = argument;
	const struct record_samples *head = samples->head;
	struct live_thread thread = { .process = process, .tid = head->tid };
	struct live_pending pending = { .process = process,
					.time = samples->time,
					.is_rest = samples->is_rest };
	int status;

	memcpy(thread.name, head->name, sizeof(thread.name));
	status = live_thread_find(live, &thread, &pending.thread, err);
	for (uint32_t i = 0; i < samples->count && !status; i++) {
		const struct record_sample *sample = &samples->samples[i];

		pending.time += (uint64_t)sample->time << head->time_shift;
		pending.frame = sample->frame & ~RECORD_SAMPLE_BLOCKED;
		pending.is_waiting = sample->frame & RECORD_SAMPLE_BLOCKED;
		pending.ns = (uint64_t)sample->weight * head->weight_ns;
		if (pending.frame != RECORD_SAMPLE_PAUSED)
			status = keep_pending(live, pending, err);
	}
	return status;
}

/* ---- folding ---- */

static uint64_t bucket_at(const struct live *live, uint64_t time)
{
	uint64_t started = live->tail.header.started.ticks;

	if (time <= started)
		return 0;
	return timescale_ns(&live->scale, (double)(time - started)) / LIVE_BUCKET_NS;
}

/* Returns the bucket of a number, emptied if it was an older one; NULL: too old to be kept. */
static struct live_fold *bucket(struct live *live, uint64_t number)
{
	struct live_bucket *found = &live->buckets[number % live->bucket_count];

	if (number + live->bucket_count <= live->now)
		return NULL;
	if (found->number != number) {
		live_fold_clear(&found->fold);
		found->number = number;
	}
	return &found->fold;
}

/* Completes a thread by its process, which is known only now. */
static void describe(struct live_thread *thread, const struct live_process *process)
{
	thread->pid = process->record.pid;
	snprintf(thread->program, sizeof(thread->program), "%s",
		 profile_title(process->record.command));
}

static struct live_entry entry_of(const struct live_pending *pending, uint32_t node)
{
	struct profile_amount amount = { .samples = !pending->is_rest, .ns = pending->ns };
	struct live_entry entry = { .node = node, .thread = pending->thread, .amount = amount };

	if (pending->is_waiting)
		entry.waiting = amount;
	return entry;
}

/* Returns 1 if it was folded, 0 if it has to wait, or -errno. */
static int fold(struct live *live, const struct live_pending *pending, bool waits, struct err *err)
{
	struct live_process *process = live_stacks_process(&live->stacks, pending->process);
	uint64_t number = bucket_at(live, pending->time);
	struct live_entry entry;
	struct live_fold *into;
	uint32_t node = HASH_NONE;
	int status = process ? live_stacks_find(&live->stacks, process, pending->frame,
						pending->time, &node, err)
			     : 0;

	if (!status && node == HASH_NONE && waits)
		return 0;
	if (!status && node == HASH_NONE)
		status = live_stacks_nowhere(&live->stacks, &node, err);
	if (status)
		return status;
	if (process) {
		describe(&live->threads[pending->thread], process);
		process->seen = number > process->seen ? number : process->seen;
	}
	live->all.samples += !pending->is_rest;
	live->all.ns += pending->ns;
	into = bucket(live, number < live->now ? number : live->now);
	entry = entry_of(pending, node);
	status = into ? live_fold_add(into, &entry, err) : 0;
	return status ? status : 1;
}

/* Folds all samples. The ones present before that still lack frames will not get them. */
static int fold_all(struct live *live, size_t before, bool is_last, struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < live->pending_count; i++) {
		int done = fold(live, &live->pending[i], i >= before && !is_last, err);

		if (done < 0)
			return done;
		if (done == 0)
			live->pending[kept++] = live->pending[i];
	}
	live->pending_count = kept;
	return 0;
}

/* Returns the instant up to which samples are taken, the end of the window. */
static uint64_t move_to(struct live *live, uint64_t now, bool is_last)
{
	const struct record_header *header = &live->tail.header;
	uint64_t lag;

	live->scale = timescale_of(header);
	lag = is_last ? 0 : (uint64_t)((double)live->options.lag_ns / live->scale.ns_per_tick);
	now = now > header->started.ticks + lag ? now - lag : header->started.ticks;
	live->now = bucket_at(live, now);
	live->seconds =
		(double)timescale_ns(&live->scale, (double)(now - header->started.ticks)) / 1e9;
	return is_last ? UINT64_MAX : now;
}

int live_refresh(struct live *live, uint64_t now, bool is_last, struct err *err)
{
	struct tail_sink sink = { .process = take_process,
				  .mapped = take_map,
				  .frames = take_frames,
				  .samples = take_samples,
				  .argument = live };
	size_t before = live->pending_count;
	uint64_t until = move_to(live, now, is_last);
	int status = tail_read(&live->tail, &sink, until, err);

	if (!status)
		status = fold_all(live, before, is_last, err);
	if (!status && !live->options.keep)
		tail_recycle(&live->tail);
	return status ? status : live_tidy(live, err);
}

/* Returns the time that the buckets of the window stand for. */
static double seconds_of_window(const struct live *live)
{
	uint64_t first = live->now + 1 > live->in_window ? live->now + 1 - live->in_window : 0;
	double since = (double)(first * LIVE_BUCKET_NS) / 1e9;

	return live->seconds > since ? live->seconds - since : 0;
}

int live_take(struct live *live, struct err *err)
{
	struct live_window window = { .seconds = seconds_of_window(live) };
	int status = 0;

	for (size_t i = 0; i < live->bucket_count && !status; i++) {
		const struct live_bucket *bucket = &live->buckets[i];

		if (bucket->number > live->now || bucket->number + live->in_window <= live->now)
			continue;
		for (size_t j = 0; j < bucket->fold.count && !status; j++) {
			const struct live_entry *entry = &bucket->fold.entries[j];

			status = live_fold_add(&window.fold, entry, err);
			window.amount.samples += entry->amount.samples;
			window.amount.ns += entry->amount.ns;
			window.waiting.samples += entry->waiting.samples;
			window.waiting.ns += entry->waiting.ns;
		}
	}
	live_fold_clear(status ? &window.fold : &live->window.fold);
	if (!status)
		live->window = window;
	return status;
}
