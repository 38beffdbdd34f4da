/* SPDX-License-Identifier: MIT */
#include "attach/watched_thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watched_thread *watched_thread_new(struct watched_process *process, pid_t tid,
					  const char *name)
{
	struct watched_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->tid = tid;
	thread->process = process;
	snprintf(thread->name, sizeof(thread->name), "%s", name);
	process->threads++;
	return thread;
}

static void leave(struct watched_thread *thread)
{
	if (thread->writer)
		watched_process_give_writer(thread->process, thread->writer);
	thread->writer = NULL;
	thread->process->threads--;
}

/* Forgets stacks: their numbers are valid in one program alone; the time continues. */
static void forget_stacks(struct watched_thread_blocked *blocked)
{
	blocked->has_stack = blocked->has_queue_stack = false;
	blocked->is_there = false;
	blocked->skips = blocked->skip = 0;
}

void watched_thread_free(struct watched_thread *thread)
{
	leave(thread);
	account_free(&thread->account);
	free(thread);
}

void watched_thread_set_process(struct watched_thread *thread, struct watched_process *process)
{
	leave(thread);
	forget_stacks(&thread->blocked);
	account_forget(&thread->account);
	thread->is_elsewhere = thread->account.open_count;
	thread->process = process;
	process->threads++;
}

static void write_name(struct watched_thread *thread)
{
	struct watched_process_writer *writer = thread->writer;

	memcpy(writer->head->name, thread->name, sizeof(thread->name));
	memcpy(writer->samples.name, thread->name, sizeof(thread->name));
	if (writer->samples.item)
		memcpy(writer->samples.item->name, thread->name, sizeof(thread->name));
}

void watched_thread_rename(struct watched_thread *thread, const char *name)
{
	snprintf(thread->name, sizeof(thread->name), "%s", name);
	if (thread->writer)
		write_name(thread);
}

static bool take_writer(struct watched_thread *thread, struct watched_process_context *context)
{
	struct watched_process_writer *writer;

	if (thread->writer)
		return true;
	if (!watched_process_enter(thread->process, context))
		return false;
	thread->writer = writer = watched_process_take_writer(thread->process);
	if (!writer)
		return false;
	samples_begin(&writer->samples, (uint32_t)thread->tid);
	writer->samples.weight_ns = context->unit_ns;
	writer->head->tid = (uint32_t)thread->tid;
	write_name(thread);
	return true;
}

struct record_sample *watched_thread_last(const struct watched_thread *thread)
{
	struct record_samples *item = thread->writer ? thread->writer->samples.item : NULL;

	return item && item->count ? &item->samples[item->count - 1] : NULL;
}

/* Returns the frame of a sample. While recording is paused, only its time is kept: so the account
 * is that of all samples. */
static uint32_t frame_of(const struct watched_thread_sample *sample, uint32_t stack)
{
	bool is_paused = __atomic_load_n(&room_header()->flags, __ATOMIC_RELAXED) & RECORD_PAUSED;

	return (is_paused ? RECORD_SAMPLE_PAUSED : stack) |
	       (sample->is_blocked ? RECORD_SAMPLE_BLOCKED : 0);
}

bool watched_thread_write(struct watched_thread *thread, struct watched_process_context *context,
			  const struct watched_thread_sample *sample, uint32_t *stack)
{
	uint64_t weight = (sample->ns + context->unit_ns / 2) / context->unit_ns;
	struct samples_writer *samples;

	*stack = sample->stack;
	if (!take_writer(thread, context))
		return false;
	if (sample->frames &&
	    !watched_process_stack(thread->process, thread->writer, sample->frames, stack))
		return false;
	samples = &thread->writer->samples;
	if (context->is_event)
		return samples_add_ns(samples, frame_of(sample, *stack), sample->ns, sample->time);
	if (!samples_add(samples, frame_of(sample, *stack), weight, sample->time))
		return false;
	if (sample->is_settled)
		thread->account.settled += weight;
	else if (!sample->is_blocked)
		account_add(&thread->account, watched_thread_last(thread),
			    sample->time_ns / context->unit_ns);
	return true;
}
