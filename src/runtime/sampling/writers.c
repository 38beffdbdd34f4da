/* SPDX-License-Identifier: MIT */
#include "writers.h"

#include <sys/prctl.h>

#include "sys.h"

/* For clocks that do not identify the thread of a tick. Threads that tick at once use several. */
#define COMMON_MAX 16

static struct writer *_Atomic common[COMMON_MAX];

static _Atomic uint32_t namings;

/* ---- segments to unmap ---- */

static bool is_in(const void *item, const struct writer_segment *segment)
{
	return (const char *)item >= segment->start &&
	       (const char *)item < segment->start + segment->size;
}

/* Unmaps it unless an item in it is still being filled. */
static void unmap_if_done(const struct writer *writer, struct writer_segment *segment)
{
	if (!segment->start || is_in(writer->stacks.item, segment) ||
	    is_in(writer->samples.item, segment))
		return;
	sys_munmap(segment->start, segment->size);
	segment->start = NULL;
}

/*
 * Frames and samples are each written to one item. So at most two full segments are in use, and if
 * another one is to be added, one of them is not in use any more.
 */
static void retire(struct writer *writer, struct writer_segment segment)
{
	size_t places = sizeof(writer->full) / sizeof(writer->full[0]);

	for (size_t i = 0; i < places; i++)
		unmap_if_done(writer, &writer->full[i]);
	for (size_t i = 0; i < places; i++)
		if (!writer->full[i].start) {
			writer->full[i] = segment;
			unmap_if_done(writer, &writer->full[i]);
			return;
		}
}

/*
 * Unmaps full segments. A program may run for days: it must not keep its whole recording in memory.
 */
static void unmap_full(struct writer *writer)
{
	const struct room *room = &writer->room;

	if (room->start == writer->filling.start)
		return;
	retire(writer, writer->filling);
	writer->filling = (struct writer_segment){ room->start, (size_t)(room->end - room->start) };
}

/* ---- the process and thread of a writer ---- */

/* Makes it write for this process from now on. */
static void begin_process(struct writer *writer, const struct entry *entry, uint32_t weight_ns)
{
	writer->process = entry->segment;
	writer->samples = (struct samples_writer){ .room = &writer->room, .weight_ns = weight_ns };
	writer->stacks = (struct stacks_writer){ .room = &writer->room };
	writer->scripted.scripts = (struct scripts_writer){ .room = { .kind = RECORD_NAMES,
								      .owner = entry->segment } };
	writer->thread = entry_thread(entry, NULL, &writer->room);
	unmap_full(writer);
}

/*
 * Reads the name. Threads name themselves when they start, and a sample may come before that. Makes
 * no more system calls than there are names: the thread may be sandboxed.
 */
static void read_name(struct writer *writer)
{
	struct samples_writer *samples = &writer->samples;

	writer->naming = atomic_load_explicit(&namings, memory_order_relaxed);
	if (samples->tid == (uint32_t)sys_gettid())
		sys_prctl(PR_GET_NAME, samples->name);
	__builtin_memcpy(writer->thread->name, samples->name, sizeof(writer->thread->name));
	if (samples->item)
		__builtin_memcpy(samples->item->name, samples->name, sizeof(samples->name));
}

void writers_renamed(void)
{
	atomic_fetch_add_explicit(&namings, 1, memory_order_relaxed);
}

void writers_name(struct writer *writer)
{
	if (writer->naming != atomic_load_explicit(&namings, memory_order_relaxed))
		read_name(writer);
}

/* Makes it write for this thread. */
static void begin_thread(struct writer *writer, const struct entry *entry, pid_t tid)
{
	samples_begin(&writer->samples, (uint32_t)tid);
	writer->has_last = false;
	writer->thread->tid = (uint32_t)tid;
	writer->thread->users++;
	read_name(writer);
	if (!entry->has_calls)
		__atomic_fetch_add(&entry->process->threads, 1, __ATOMIC_RELAXED);
}

static struct writer *ready(struct writer *writer, const struct entry *entry, uint32_t weight_ns,
			    pid_t tid)
{
	if (writer->process != entry->segment)
		begin_process(writer, entry, weight_ns);
	if (!writer->thread)
		return NULL;
	if (writer->samples.tid != (uint32_t)tid)
		begin_thread(writer, entry, tid);
	writers_name(writer);
	return writer;
}

static struct writer *find_common(const struct entry *entry, uint32_t weight_ns)
{
	for (int i = 0; i < COMMON_MAX; i++) {
		struct writer *writer = atomic_load(&common[i]), *none = NULL;

		if (!writer) {
			writer = sys_memory(sizeof(*writer));
			if (!writer)
				return NULL;
			atomic_store(&writer->taken, true);
			if (atomic_compare_exchange_strong(&common[i], &none, writer))
				return ready(writer, entry, weight_ns, sys_gettid());
			sys_munmap(writer, sizeof(*writer));
			writer = none;
		}
		if (!atomic_exchange(&writer->taken, true))
			return ready(writer, entry, weight_ns, sys_gettid());
	}
	return NULL;
}

void writers_prepare(struct thread *thread)
{
	if (!thread->for_sink)
		thread->for_sink = sys_memory(sizeof(struct writer));
}

struct writer *writers_of(struct thread *thread, const struct entry *entry, uint32_t weight_ns)
{
	struct writer *writer;

	if (!thread)
		return find_common(entry, weight_ns);
	writers_prepare(thread);
	writer = thread->for_sink;
	if (!writer)
		return NULL;
	if (writer->generation != thread->generation)
		writer->samples.tid = 0;
	writer->generation = thread->generation;
	return ready(writer, entry, weight_ns, thread->tid);
}

struct writer *writers_find(const struct thread *thread)
{
	struct writer *writer = thread->for_sink;

	return writer && writer->generation == thread->generation &&
			       writer->samples.tid == (uint32_t)thread->tid
		       ? writer
		       : NULL;
}

void writers_done(struct writer *writer)
{
	unmap_full(writer);
	atomic_store_explicit(&writer->taken, false, memory_order_release);
}

void writers_after_fork(void)
{
	for (int i = 0; i < COMMON_MAX; i++)
		if (common[i])
			atomic_store(&common[i]->taken, false);
}
