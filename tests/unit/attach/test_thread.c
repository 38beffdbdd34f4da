/* SPDX-License-Identifier: MIT
 *
 * test_thread.c - what threads and processes that are watched from outside leave in a recording,
 * as its reader finds it.
 */
#include <string.h>
#include <unistd.h>

#include "../capture/calls/wrapped.h"
#include "attach/roster.h"
#include "record/reader.h"
#include "tap.h"

#define UNIT 1000 /* ns of a weight of 1 */

static struct process_context context = { .hz = 1000, .unit_ns = UNIT };

static void begin(void)
{
	context.first = NULL;
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
}

static void end(void)
{
	images_free(&context.images);
	unlink(wrapped.path);
	close(wrapped.fd);
}

static struct reader read_back(void)
{
	struct reader reader;
	struct err err;

	if (reader_open(&reader, wrapped.path, &err))
		bail_out(err.text);
	if (reader.damaged)
		bail_out("the recording is damaged");
	return reader;
}

/* The n-th item of a kind, from 0 on. NULL: there are fewer. */
static const void *item_of(const struct reader *reader, uint32_t kind, int n)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader->segments[i], item)))
			if (item->kind == kind && n-- == 0)
				return item;
	}
	return NULL;
}

static const struct reader_segment *segment_of(const struct reader *reader, uint32_t kind, int n)
{
	for (size_t i = 0; i < reader->count; i++)
		if (reader->segments[i].kind == kind && n-- == 0)
			return &reader->segments[i];
	return NULL;
}

static uint32_t write_sample(struct thread *thread, uintptr_t pc, uint64_t ns, bool is_blocked)
{
	static uint64_t time;
	struct walker_frames frames = { .pcs = { pc }, .depth = 1, .certain = 1 };
	struct thread_sample sample = { .time = ++time,
					.time_ns = time,
					.ns = ns,
					.is_blocked = is_blocked,
					.frames = &frames };
	uint32_t stack;

	if (!thread_write(thread, &context, &sample, &stack))
		bail_out("there is no room for a sample");
	return stack;
}

static void samples(void)
{
	struct process *process = process_new(0x7f000001, 1, 500);
	struct thread *thread = thread_new(process, 0x7f000002, "before");
	const struct record_samples *written;
	struct reader reader;
	uint32_t first, second;

	begin();
	first = write_sample(thread, 0x1000, 1499, false);
	second = write_sample(thread, 0x2000, 1500, false);
	ok(first != second && write_sample(thread, 0x1000, 7000, true) == first,
	   "equal stacks have one number");
	ok(thread->account.open_count == 2 && thread->account.open_sum == 3,
	   "time that was used is to be settled; time that was waited is not");
	thread_rename(thread, "a name that is too long");
	reader = read_back();
	written = item_of(&reader, RECORD_SAMPLES, 0);
	ok(written && written->count == 3 && written->weight_ns == UNIT &&
		   written->tid == 0x7f000002,
	   "all samples of a thread are in one item");
	ok(written && written->samples[0].weight == 1 && written->samples[1].weight == 2 &&
		   written->samples[2].weight == 7,
	   "their weights are rounded to the nearest unit");
	ok(written && written->samples[0].frame == first && written->samples[1].frame == second &&
		   written->samples[2].frame == (first | RECORD_SAMPLE_BLOCKED),
	   "and those of waiting are marked");
	ok(written && strcmp(written->name, "a name that is ") == 0 &&
		   strcmp(reader_thread(segment_of(&reader, RECORD_THREAD, 0))->name,
			  "a name that is ") == 0,
	   "a thread is called what it is called last");
	reader_close(&reader);
	thread_free(thread);
	process_free(process);
	end();
}

static void writers(void)
{
	struct process *process = process_new(0x7f000001, 1, 500);
	struct thread *thread = thread_new(process, 1, "one");
	const struct record_thread *head;
	struct reader reader;

	begin();
	write_sample(thread, 0x1000, UNIT, false);
	thread_free(thread);
	thread = thread_new(process, 2, "two");
	write_sample(thread, 0x1000, UNIT, false);
	reader = read_back();
	head = reader_thread(segment_of(&reader, RECORD_THREAD, 0));
	ok(!segment_of(&reader, RECORD_THREAD, 1) && head->users == 2 && head->tid == 2 &&
		   strcmp(head->name, "two") == 0,
	   "a thread writes on where one that has ended did");
	ok(reader_process(segment_of(&reader, RECORD_PROCESS, 0))->threads == 2,
	   "and both are counted");
	ok(((const struct record_samples *)item_of(&reader, RECORD_SAMPLES, 0))->tid == 1 &&
		   ((const struct record_samples *)item_of(&reader, RECORD_SAMPLES, 1))->tid == 2,
	   "their samples are told apart");
	reader_close(&reader);
	thread_free(thread);
	process_free(process);
	end();
}

static void map(struct process *process, uint64_t start, const char *path)
{
	struct proc_map line = { .start = start,
				 .end = start + 0x1000,
				 .offset = 0x3000,
				 .is_executable = true,
				 .path = path };

	process_map(process, &context, &line, 77);
}

static void forks(void)
{
	struct process *parent = process_new(0x7f000001, 1, 500), *child;
	const struct record_process *written;
	const struct record_map *mapped;
	struct reader reader;

	begin();
	map(parent, 0x10000, "/gone/libx.so");
	strcpy(parent->command, "parent");
	child = process_fork(parent, &context, getpid(), 600);
	map(child, 0x20000, "/gone/liby.so");
	process_enter(child, &context);
	reader = read_back();
	written = reader_process(segment_of(&reader, RECORD_PROCESS, 1));
	ok(written->pid == (uint32_t)getpid() && written->parent_pid == 0x7f000001 &&
		   written->started == 600 && written->forked &&
		   written->parent == segment_of(&reader, RECORD_PROCESS, 0)->offset,
	   "a child says whose it is");
	ok(strcmp(reader_process(segment_of(&reader, RECORD_PROCESS, 0))->command, "parent") == 0 &&
		   strstr(written->command, "test_thread"),
	   "it is called what it calls itself by then");
	mapped = item_of(&reader, RECORD_MAP, 0);
	ok(mapped && mapped->start == 0x10000 && mapped->end == 0x11000 &&
		   mapped->offset == 0x3000 && mapped->time == 77 &&
		   strcmp(mapped->path, "/gone/libx.so") == 0,
	   "what is mapped is written down");
	mapped = item_of(&reader, RECORD_MAP, 1);
	ok(mapped && mapped->start == 0x20000 && !item_of(&reader, RECORD_MAP, 2) &&
		   process_knows(child, 0x10fff) && !process_knows(parent, 0x20000),
	   "what the child has of its parent is not, but known");
	reader_close(&reader);
	process_free(child);
	process_free(parent);
	end();
}

static void waits(void)
{
	struct process *process = process_new(0x7f000001, 1, 500);
	const struct record_sampler *sampler;
	const struct record_map *mapped;
	struct reader reader;

	begin();
	context.is_wall = true;
	process_enter(process, &context);
	ok(process_name_waits(process) && process_name_waits(process), "waits have names");
	reader = read_back();
	mapped = item_of(&reader, RECORD_MAP, 0);
	ok(mapped && mapped->start == PROCESS_NO_CPU &&
		   strcmp(mapped->path, "[waiting for a CPU]") == 0,
	   "that for a CPU");
	mapped = item_of(&reader, RECORD_MAP, 1);
	ok(mapped && mapped->start == PROCESS_UNSEEN && strcmp(mapped->path, "[waiting]") == 0 &&
		   !item_of(&reader, RECORD_MAP, 2),
	   "and any other, once");
	sampler = item_of(&reader, RECORD_SAMPLER, 0);
	ok(sampler && sampler->hz == 1000 && sampler->is_wall &&
		   strcmp(sampler->clock, "ring") == 0 && context.first == process->sampler,
	   "with the clock that is behind it all");
	context.is_wall = false;
	reader_close(&reader);
	process_free(process);
	end();
}

int main(void)
{
	samples();
	writers();
	forks();
	waits();
	return tap_done();
}
