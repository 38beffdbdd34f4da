/* SPDX-License-Identifier: MIT
 *
 * test_watched_thread.c - recordings of threads and processes that are observed from outside, read
 * back.
 */
#include <string.h>
#include <unistd.h>

#include "../runtime/calls/wrapped.h"
#include "attach/watched_roster.h"
#include "recording/read/reader.h"
#include "tap.h"

#define UNIT 1000 /* ns of a weight of 1 */

static struct watched_process_context context = { .hz = 1000, .unit_ns = UNIT };

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

/* Returns the n-th item of a kind, counted from 0, or NULL. */
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

static uint32_t write_sample(struct watched_thread *thread, uintptr_t pc, uint64_t ns,
			     bool is_blocked)
{
	static uint64_t time;
	struct walker_frames frames = { .pcs = { pc }, .depth = 1, .certain = 1 };
	struct watched_thread_sample sample = { .time = time + 1,
						.time_ns = time + 1,
						.ns = ns,
						.is_blocked = is_blocked,
						.frames = &frames };
	uint32_t stack;

	time++;
	if (!watched_thread_write(thread, &context, &sample, &stack))
		bail_out("there is no room for a sample");
	return stack;
}

static void samples(void)
{
	struct watched_process *process = watched_process_new(0x7f000001, 1, 500);
	struct watched_thread *thread = watched_thread_new(process, 0x7f000002, "before");
	const struct record_samples *written;
	struct reader reader;
	uint32_t first, second;

	begin();
	first = write_sample(thread, 0x1000, 1499, false);
	second = write_sample(thread, 0x2000, 1500, false);
	ok(first != second && write_sample(thread, 0x1000, 7000, true) == first,
	   "equal stacks share a number");
	ok(thread->account.open_count == 2 && thread->account.open_sum == 3,
	   "CPU time is to be settled, waiting time is not");
	watched_thread_rename(thread, "a name that is too long");
	reader = read_back();
	written = item_of(&reader, RECORD_SAMPLES, 0);
	ok(written && written->count == 3 && written->weight_ns == UNIT &&
		   written->tid == 0x7f000002,
	   "the samples of a thread are in one item");
	ok(written && written->samples[0].weight == 1 && written->samples[1].weight == 2 &&
		   written->samples[2].weight == 7,
	   "weights are rounded to the nearest unit");
	ok(written && written->samples[0].frame == first && written->samples[1].frame == second &&
		   written->samples[2].frame == (first | RECORD_SAMPLE_BLOCKED),
	   "waiting samples are marked");
	ok(written && strcmp(written->name, "a name that is ") == 0 &&
		   strcmp(reader_thread(segment_of(&reader, RECORD_THREAD, 0))->name,
			  "a name that is ") == 0,
	   "the last name of a thread is recorded");
	reader_close(&reader);
	watched_thread_free(thread);
	watched_process_free(process);
	end();
}

static void writers(void)
{
	struct watched_process *process = watched_process_new(0x7f000001, 1, 500);
	struct watched_thread *thread = watched_thread_new(process, 1, "one");
	const struct record_thread *head;
	struct reader reader;

	begin();
	write_sample(thread, 0x1000, UNIT, false);
	watched_thread_free(thread);
	thread = watched_thread_new(process, 2, "two");
	write_sample(thread, 0x1000, UNIT, false);
	reader = read_back();
	head = reader_thread(segment_of(&reader, RECORD_THREAD, 0));
	ok(!segment_of(&reader, RECORD_THREAD, 1) && head->users == 2 && head->tid == 2 &&
		   strcmp(head->name, "two") == 0,
	   "a thread reuses the segment of one that has ended");
	ok(reader_process(segment_of(&reader, RECORD_PROCESS, 0))->threads == 2,
	   "both threads are counted");
	ok(((const struct record_samples *)item_of(&reader, RECORD_SAMPLES, 0))->tid == 1 &&
		   ((const struct record_samples *)item_of(&reader, RECORD_SAMPLES, 1))->tid == 2,
	   "their samples are in separate items");
	reader_close(&reader);
	watched_thread_free(thread);
	watched_process_free(process);
	end();
}

static void map(struct watched_process *process, uint64_t start, const char *path)
{
	struct proc_map line = { .start = start,
				 .end = start + 0x1000,
				 .offset = 0x3000,
				 .is_executable = true,
				 .path = path };

	watched_process_map(process, &context, &line, 77);
}

static void forks(void)
{
	struct watched_process *parent = watched_process_new(0x7f000001, 1, 500), *child;
	const struct record_process *written;
	const struct record_map *mapped;
	struct reader reader;

	begin();
	map(parent, 0x10000, "/gone/libx.so");
	strcpy(parent->command, "parent");
	child = watched_process_fork(parent, &context, getpid(), 600);
	map(child, 0x20000, "/gone/liby.so");
	watched_process_enter(child, &context);
	reader = read_back();
	written = reader_process(segment_of(&reader, RECORD_PROCESS, 1));
	ok(written->pid == (uint32_t)getpid() && written->parent_pid == 0x7f000001 &&
		   written->started == 600 && written->forked &&
		   written->parent == segment_of(&reader, RECORD_PROCESS, 0)->offset,
	   "a child refers to its parent");
	ok(strcmp(reader_process(segment_of(&reader, RECORD_PROCESS, 0))->command, "parent") == 0 &&
		   strstr(written->command, "test_watched_thread"),
	   "its command is read when it is entered");
	mapped = item_of(&reader, RECORD_MAP, 0);
	ok(mapped && mapped->start == 0x10000 && mapped->end == 0x11000 &&
		   mapped->offset == 0x3000 && mapped->time == 77 &&
		   strcmp(mapped->path, "/gone/libx.so") == 0,
	   "mappings are recorded");
	mapped = item_of(&reader, RECORD_MAP, 1);
	ok(mapped && mapped->start == 0x20000 && !item_of(&reader, RECORD_MAP, 2) &&
		   watched_process_knows(child, 0x10fff) && !watched_process_knows(parent, 0x20000),
	   "inherited mappings are known but not recorded twice");
	reader_close(&reader);
	watched_process_free(child);
	watched_process_free(parent);
	end();
}

static void waits(void)
{
	struct watched_process *process = watched_process_new(0x7f000001, 1, 500);
	const struct record_sampler *sampler;
	const struct record_map *mapped;
	struct reader reader;

	begin();
	context.is_wall = true;
	watched_process_enter(process, &context);
	ok(watched_process_name_waits(process) && watched_process_name_waits(process),
	   "waiting places get names");
	reader = read_back();
	mapped = item_of(&reader, RECORD_MAP, 0);
	ok(mapped && mapped->start == PROCESS_NO_CPU &&
		   strcmp(mapped->path, "[waiting for a CPU]") == 0,
	   "waiting for a CPU");
	mapped = item_of(&reader, RECORD_MAP, 1);
	ok(mapped && mapped->start == PROCESS_UNSEEN && strcmp(mapped->path, "[waiting]") == 0 &&
		   !item_of(&reader, RECORD_MAP, 2),
	   "any other waiting, recorded once");
	sampler = item_of(&reader, RECORD_SAMPLER, 0);
	ok(sampler && sampler->hz == 1000 && sampler->is_wall &&
		   strcmp(sampler->clock, "ring") == 0 && context.first == process->sampler,
	   "the sampler describes the clock");
	context.is_wall = false;
	reader_close(&reader);
	watched_process_free(process);
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
