/* SPDX-License-Identifier: MIT
 *
 * draft_save.c - writes a draft as `dwell archive` writes a recording: a reader has its segments,
 * which are packed, and the names follow them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "draft_place.h"
#include "recording/make/archive.h"
#include "recording/read/validate.h"

/* Entries of an item, which stays well below 1 MiB. */
#define FRAMES_IN_ITEM 65536
#define SUMS_IN_ITEM   16384

/* Runs, processes and threads have numbers; segments have offsets, which only order them here. */
static uint64_t offset_of(size_t number)
{
	return (uint64_t)(number + 1) * RECORD_GRAIN;
}

static uint64_t offset_of_process(const struct draft *draft, uint32_t process)
{
	return offset_of(draft->run_count + process);
}

static int put_frames(struct item_list *items, const struct draft_process *process)
{
	size_t count;

	for (size_t first = 0; first < process->frame_count; first += count) {
		struct record_frames *item;
		size_t left = process->frame_count - first;

		count = left < FRAMES_IN_ITEM ? left : FRAMES_IN_ITEM;
		item = item_list_add(items, RECORD_FRAMES,
				     sizeof(*item) + count * sizeof(item->frames[0]));
		if (!item)
			return -ENOMEM;
		item->first = (uint32_t)first;
		item->count = item->room = (uint32_t)count;
		memcpy(item->frames, process->frames + first, count * sizeof(item->frames[0]));
	}
	return 0;
}

static int put_sums(struct item_list *items, const struct draft_thread *thread)
{
	size_t count;

	for (size_t first = 0; first < thread->count; first += count) {
		struct record_sums *item;
		size_t left = thread->count - first;

		count = left < SUMS_IN_ITEM ? left : SUMS_IN_ITEM;
		item = item_list_add(items, RECORD_SUMS,
				     sizeof(*item) + count * sizeof(item->sums[0]));
		if (!item)
			return -ENOMEM;
		item->tid = thread->tid;
		item->count = (uint32_t)count;
		strcpy(item->name, thread->name);
		memcpy(item->sums, thread->sums + first, count * sizeof(item->sums[0]));
	}
	return 0;
}

/* Adds a segment; its items follow its head, which the caller fills in. NULL: no memory. */
static struct record_segment *add(struct reader *reader, enum record_segment_kind kind,
				  uint64_t owner, const struct item_list *items)
{
	struct reader_segment *more = vec_room(reader->segments, reader->count, sizeof(*more));
	size_t start = validate_items_start(kind);
	char *bytes = calloc(1, start + items->size);

	if (more)
		reader->segments = more;
	if (!more || !bytes) {
		free(bytes);
		return NULL;
	}
	if (items->size)
		memcpy(bytes + start, items->bytes, items->size);
	more[reader->count] = (struct reader_segment){ .offset = offset_of(reader->count),
						       .owner = owner,
						       .kind = kind,
						       .bytes = bytes,
						       .items = start,
						       .end = start + items->size };
	reader->count++;
	return (struct record_segment *)bytes;
}

static int put_sampler(struct draft *draft, struct draft_process *process, struct err *err)
{
	struct record_sampler *sampler =
		item_list_add(&process->items, RECORD_SAMPLER, sizeof(*sampler));

	if (!sampler)
		return err_no_memory(err);
	strcpy(sampler->clock, draft->clock);
	sampler->hz = draft->header.hz;
	sampler->is_wall = draft->is_wall;
	return 0;
}

static int put_process(struct draft *draft, struct reader *reader, uint32_t number, struct err *err)
{
	struct draft_process *process = &draft->processes[number];
	struct record_segment *segment;
	struct record_process *head;
	int status = draft_place_maps(draft, number, err);

	if (!status && process->frame_count)
		status = put_sampler(draft, process, err);
	if (status)
		return status;
	segment = add(reader, RECORD_PROCESS, offset_of_process(draft, number), &process->items);
	if (!segment)
		return err_no_memory(err);
	segment->setup = offset_of(process->run);
	head = (struct record_process *)(segment + 1);
	head->pid = process->pid;
	head->started = process->started;
	strcpy(head->command, process->command);
	if (process->parent != HASH_NONE) {
		head->forked = 1;
		head->parent = offset_of_process(draft, process->parent);
		head->parent_pid = draft->processes[process->parent].pid;
	}
	return 0;
}

/* Writes a thread. The frames of a process are in the segment of its first thread. */
static int put_thread(struct draft *draft, struct reader *reader, uint32_t number, struct err *err)
{
	struct draft_thread *thread = &draft->threads[number];
	struct draft_process *process = &draft->processes[thread->process];
	struct record_segment *segment = NULL;
	struct record_thread *head;

	if (put_frames(&thread->items, process) == 0 && put_sums(&thread->items, thread) == 0)
		segment = add(reader, RECORD_THREAD, offset_of_process(draft, thread->process),
			      &thread->items);
	process->frame_count = 0;
	if (!segment)
		return err_no_memory(err);
	head = (struct record_thread *)(segment + 1);
	head->tid = thread->tid;
	head->users = 1;
	memcpy(head->name, thread->name, sizeof(head->name) - 1);
	return 0;
}

/* Adds the event that values count. */
static bool put_event(struct item_list *items, const char *name)
{
	struct record_event *event = item_list_add(
		items, RECORD_EVENT, (sizeof(*event) + strlen(name) + 8) & ~(size_t)7);

	if (!event)
		return false;
	event->type = RECORD_EVENT_FOREIGN;
	strcpy(event->text, name);
	return true;
}

/* Writes a run: the event comes first, then its labels. */
static int put_run(const struct draft *draft, struct reader *reader, size_t number, struct err *err)
{
	const struct item_list *labels = &draft->runs[number];
	struct item_list items = { 0 };
	bool is_done = !*draft->event || put_event(&items, draft->event);

	for (size_t at = 0; is_done && at < labels->size;) {
		const struct record_item *label = (const void *)(labels->bytes + at);
		void *copy = item_list_add(&items, label->kind, label->size);

		if (copy)
			memcpy(copy, label, label->size);
		is_done = copy;
		at += label->size;
	}
	is_done = is_done && add(reader, RECORD_SETUP, 0, &items);
	free(items.bytes);
	return is_done ? 0 : err_no_memory(err);
}

static int put_all(struct draft *draft, struct reader *reader, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < draft->run_count && !status; i++)
		status = put_run(draft, reader, i, err);
	for (size_t i = 0; i < draft->process_count && !status; i++)
		status = put_process(draft, reader, (uint32_t)i, err);
	for (size_t i = 0; i < draft->thread_count && !status; i++)
		status = put_thread(draft, reader, (uint32_t)i, err);
	return status;
}

int draft_save(struct draft *draft, const char *path, bool replace, struct err *err)
{
	struct reader reader = { .header = draft->header };
	struct archive archive = { .reader = &reader, .replace = replace };
	char *names = NULL;
	int status = put_all(draft, &reader, err);

	if (!status &&
	    archive_write_items(&draft->names, &draft->functions.symbolizer, &names, &archive.size))
		status = err_no_memory(err);
	archive.items = names;
	if (!status)
		status = archive_save(&archive, path, err);
	for (size_t i = 0; i < reader.count; i++)
		free(reader.segments[i].bytes);
	free(reader.segments);
	free(names);
	return status;
}
