/* SPDX-License-Identifier: MIT
 *
 * test_watched_roster.c - processes and threads that come and go, fork and call exec().
 */
#include <stdlib.h>
#include <string.h>

#include "../runtime/calls/wrapped.h"
#include "attach/watched_roster.h"
#include "tap.h"

static struct watched_roster roster;
static struct watched_process_context context;

static struct watched_process *add_process(pid_t pid)
{
	struct watched_process *process = watched_process_new(pid, 1, 1000);

	if (!process || watched_roster_add_process(&roster, process))
		bail_out("no memory");
	return process;
}

static struct watched_thread *add_thread(struct watched_process *process, pid_t tid)
{
	struct watched_thread *thread = watched_thread_new(process, tid, "worker");

	if (!thread || watched_roster_add_thread(&roster, thread))
		bail_out("no memory");
	return thread;
}

static void map(struct watched_process *process, uint64_t start, uint64_t end, const char *path)
{
	struct proc_map line = { .start = start, .end = end, .is_executable = true, .path = path };

	watched_process_map(process, &context, &line, 5);
}

static void coming_and_going(void)
{
	struct watched_process *one = add_process(100000), *two = add_process(200000);

	add_thread(one, 100000);
	add_thread(one, 100001);
	add_thread(two, 200000);
	ok(watched_roster_process(&roster, 100000) == one &&
		   watched_roster_process(&roster, 200000) == two &&
		   !watched_roster_process(&roster, 300000),
	   "processes are found by their numbers");
	ok(watched_roster_thread(&roster, 100001)->process == one &&
		   !watched_roster_thread(&roster, 100002),
	   "so are threads");
	watched_roster_end(&roster, watched_roster_thread(&roster, 100000));
	ok(!watched_roster_thread(&roster, 100000) &&
		   watched_roster_process(&roster, 100000) == one,
	   "a process is there while it has a thread, be it not the first");
	watched_roster_end(&roster, watched_roster_thread(&roster, 100001));
	ok(!watched_roster_process(&roster, 100000) &&
		   watched_roster_process(&roster, 200000) == two && roster.process_count == 1,
	   "with its last thread it is gone, and others are not");
	one = add_process(100000);
	add_thread(one, 100000);
	ok(watched_roster_process(&roster, 100000) == one, "its number may come again");
	watched_roster_free(&roster);
	ok(!roster.thread_count && !roster.process_count, "all are let go of");
}

static void exec(void)
{
	struct watched_process *before = add_process(100000),
			       *after = watched_process_new(100000, 1, 2000);
	struct watched_thread *thread = add_thread(before, 100000);
	static struct record_sample sample = { .weight = 100 };

	account_add(&thread->account, &sample, 10);
	watched_roster_exec(&roster, thread, after);
	ok(watched_roster_process(&roster, 100000) == after && thread->process == after &&
		   after->threads == 1 && roster.process_count == 1,
	   "exec() makes another process of the same number");
	ok(thread->is_elsewhere && thread->account.open_count == 1,
	   "samples of the one before are still to be settled");
	watched_roster_free(&roster);
}

static void mappings(void)
{
	struct watched_process *process = add_process(100000);

	add_thread(process, 100000);
	map(process, 0x10000, 0x20000, "//anon");
	map(process, 0x30000, 0x40000, "");
	ok(process->map_count == 2 && strcmp(process->maps[0].path, "[anon]") == 0 &&
		   strcmp(process->maps[1].path, "[anon]") == 0,
	   "memory without a file has one name, in every event");
	map(process, 0x10000, 0x20000, "//anon");
	ok(process->map_count == 2, "a known mapping is not new");
	map(process, 0x18000, 0x28000, "//anon");
	ok(process->map_count == 3 && !watched_process_knows(process, 0x28000) &&
		   watched_process_knows(process, 0x17fff) &&
		   watched_process_knows(process, 0x18000),
	   "a mapping across another leaves the rest of it");
	map(process, 0x0, 0x50000, "/no/such/library.so");
	ok(process->map_count == 1 && watched_process_knows(process, 0x28000),
	   "a mapping that covers others replaces them");
	map(process, 0x20000, 0x21000, "//anon");
	ok(process->map_count == 1 && !watched_process_knows(process, 0x28000),
	   "an object that something is mapped across has been unloaded");
	ok(process->maps_changed, "and walks are to know of it");
	watched_roster_free(&roster);
	images_free(&context.images);
}

/* Returns how many parts of the recording are mapped. */
static int count_mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	int count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, wrapped.path) != NULL;
	if (maps)
		fclose(maps);
	return count;
}

static void write_sample(struct watched_thread *thread)
{
	struct walker_frames frames = { .pcs = { 0x1000 }, .depth = 1, .certain = 1 };
	struct watched_thread_sample sample = {
		.time = 1, .time_ns = 1000, .ns = 1000, .frames = &frames
	};
	uint32_t stack;

	if (!watched_thread_write(thread, &context, &sample, &stack))
		bail_out("there is no room for a sample");
}

/* The header of the recording stays mapped. */
static void recorded(void)
{
	struct watched_process *first, *one;
	struct watched_thread *thread;
	int before;

	context = (struct watched_process_context){ .hz = 1000, .unit_ns = 1000 };
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
	first = add_process(100000);
	write_sample(add_thread(first, 100000));
	before = count_mapped();
	one = add_process(200000);
	write_sample(add_thread(one, 200000));
	ok(count_mapped() == before + 2, "a process and its thread have their parts mapped");
	watched_roster_end(&roster, watched_roster_thread(&roster, 200000));
	watched_roster_let_go(&roster, context.first);
	ok(count_mapped() == before + 2, "also when it has ended and is not settled");
	account_accept(&roster.ended);
	watched_roster_let_go(&roster, context.first);
	ok(count_mapped() == before, "but not for longer than that");

	one = add_process(200000);
	write_sample(add_thread(one, 200000));
	watched_roster_end(&roster, watched_roster_thread(&roster, 200000));
	account_settle(&roster.ended, 1, 1, true);
	watched_roster_let_go(&roster, context.first);
	account_settle(&roster.ended, 2, 1, true);
	ok(count_mapped() == before, "a sample that is out of reach is not settled again");

	one = add_process(200000);
	thread = add_thread(one, 200000);
	write_sample(thread);
	watched_roster_exec(&roster, thread, watched_process_new(200000, 1, 2000));
	watched_roster_let_go(&roster, context.first);
	ok(count_mapped() == before + 2, "a thread that calls exec() has samples there, too");
	account_settle(&thread->account, 1, 1, true);
	watched_roster_let_go(&roster, context.first);
	ok(count_mapped() == before, "until these are settled");

	watched_roster_end(&roster, watched_roster_thread(&roster, 100000));
	account_accept(&roster.ended);
	watched_roster_let_go(&roster, context.first);
	ok(count_mapped() == before - 1, "a mapping that is still to be written to is kept");
	watched_roster_free(&roster);
	unlink(wrapped.path);
}

int main(void)
{
	coming_and_going();
	exec();
	mappings();
	recorded();
	return tap_done();
}
