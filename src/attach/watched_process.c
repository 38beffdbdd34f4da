/* SPDX-License-Identifier: MIT */
#include "attach/watched_labels.h"
#include "attach/watched_process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define ANONYMOUS    "[anon]"
#define STACKS_BYTES ((size_t)2 << 20) /* used only as far as there are stacks */

struct watched_process *watched_process_new(pid_t pid, pid_t parent_pid, uint64_t started)
{
	struct watched_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->pid = pid;
	process->parent_pid = parent_pid;
	process->started = started;
	process->maps_changed = true;
	proc_command(pid, process->command, sizeof(process->command));
	return process;
}

void watched_process_free(struct watched_process *process)
{
	if (!process)
		return;
	for (size_t i = 0; i < process->map_count; i++)
		free(process->maps[i].path);
	free(process->maps);
	walker_free(&process->walker);
	watched_scripts_free(process->scripts);
	free(process->callers);
	for (size_t i = 0; i < process->idle_count; i++)
		free(process->idle[i]);
	free(process->idle);
	free(process->stacks_memory);
	free(process);
}

/* Adds a segment that begins with a head, and the last of those that followed. */
static void leave_segments(struct unmapping *unmapping, void *head, const struct room *room)
{
	unmapping_add(unmapping, (char *)head - sizeof(struct record_segment), RECORD_GRAIN);
	if (room->start)
		unmapping_add(unmapping, room->start, (size_t)(room->end - room->start));
}

void watched_process_leave(struct watched_process *process, struct unmapping *unmapping)
{
	const struct room *scripts = watched_scripts_room(process->scripts);

	for (size_t i = 0; i < process->idle_count; i++)
		leave_segments(unmapping, process->idle[i]->head, &process->idle[i]->room);
	if (process->record)
		leave_segments(unmapping, process->record, &process->names);
	if (process->record && scripts)
		unmapping_add(unmapping, scripts->start, (size_t)(scripts->end - scripts->start));
	process->record = NULL;
}

/* Returns the recording's name for it. The kernel's is "//anon" in events and empty in /proc. */
static const char *path_of(const struct proc_map *map)
{
	if (!*map->path || strcmp(map->path, "//anon") == 0)
		return ANONYMOUS;
	return map->path;
}

static struct watched_process_map *new_map(struct watched_process *process)
{
	struct watched_process_map *more =
		vec_room(process->maps, process->map_count, sizeof(*more));

	if (!more)
		return NULL;
	process->maps = more;
	return &more[process->map_count];
}

static void drop_map(struct watched_process *process, size_t i)
{
	watched_scripts_gone(process->scripts, process->maps[i].code.start);
	free(process->maps[i].path);
	process->maps[i] = process->maps[--process->map_count];
}

/* Removes the part of old mappings under a new one. An object is removed whole: it must have been
 * unloaded. Other memory keeps the part before, or else the one behind. */
static void make_way(struct watched_process *process, const struct proc_map *map)
{
	for (size_t i = 0; i < process->map_count;) {
		struct walker_code *code = &process->maps[i].code;

		if (code->end <= map->start || code->start >= map->end) {
			i++;
		} else if (code->image || (code->start >= map->start && code->end <= map->end)) {
			drop_map(process, i);
		} else {
			if (code->start < map->start)
				code->end = map->start;
			else
				code->start = map->end;
			i++;
		}
	}
}

static bool is_known(const struct watched_process *process, const struct proc_map *map)
{
	for (size_t i = 0; i < process->map_count; i++) {
		const struct watched_process_map *known = &process->maps[i];

		if (known->code.start == map->start && known->code.end == map->end &&
		    known->code.offset == map->offset && known->inode == map->inode &&
		    strcmp(known->path, path_of(map)) == 0)
			return true;
	}
	return false;
}

static bool write_map(struct watched_process *process, struct watched_process_map *map)
{
	size_t size = strlen(map->path) + 1;
	struct record_map *record = room_take(&process->names, sizeof(*record) + size);

	if (!record)
		return false;
	record->time = map->time;
	record->start = map->code.start;
	record->end = map->code.end;
	record->offset = map->code.offset;
	if (map->code.image) {
		record->build_id_size = (uint32_t)map->code.image->id.size;
		memcpy(record->build_id, map->code.image->id.bytes, map->code.image->id.size);
	}
	memcpy(record->path, map->path, size);
	room_publish(&record->item, RECORD_MAP);
	map->is_written = true;
	return true;
}

static void write_maps(struct watched_process *process)
{
	for (size_t i = 0; i < process->map_count; i++)
		if (!process->maps[i].is_written && !write_map(process, &process->maps[i]))
			return;
}

int watched_process_map(struct watched_process *process, struct watched_process_context *context,
			const struct proc_map *map, uint64_t time)
{
	struct images_wanted wanted = { .pid = process->pid,
					.start = map->start,
					.end = map->end,
					.inode = map->inode,
					.path = path_of(map) };
	struct watched_process_map *added;
	char *path;

	if (!map->is_executable || is_known(process, map))
		return 0;
	make_way(process, map);
	added = new_map(process);
	path = strdup(wanted.path);
	if (!added || !path) {
		free(path);
		return -ENOMEM;
	}
	*added = (struct watched_process_map){
		.code = { .start = map->start, .end = map->end, .offset = map->offset },
		.time = time,
		.path = path,
		.inode = map->inode,
	};
	if (strcmp(path, ANONYMOUS) != 0)
		added->code.image = images_get(&context->images, &wanted);
	process->map_count++;
	process->maps_changed = true;
	if (process->record)
		write_map(process, added);
	return 0;
}

struct reread {
	struct watched_process *process;
	struct watched_process_context *context;
	uint64_t time;
};

static int reread_line(void *argument, const struct proc_map *map)
{
	struct reread *reread = argument;

	/* The page of old system calls is in every process, and never executed. */
	if (strcmp(map->path, "[vsyscall]") == 0)
		return 0;
	return watched_process_map(reread->process, reread->context, map, reread->time);
}

void watched_process_reread(struct watched_process *process,
			    struct watched_process_context *context, uint64_t time)
{
	struct reread reread = { process, context, time };

	proc_each_map(process->pid, reread_line, &reread);
}

/* Copies the mappings of the parent to its child; the recording has them as those of the parent. */
static int inherit_maps(struct watched_process *process, const struct watched_process *parent)
{
	for (size_t i = 0; i < parent->map_count; i++) {
		struct watched_process_map *map = new_map(process);

		if (!map)
			return -ENOMEM;
		*map = parent->maps[i];
		map->is_searched = false;
		map->path = strdup(parent->maps[i].path);
		if (!map->path)
			return -ENOMEM;
		process->map_count++;
	}
	return 0;
}

struct watched_process *watched_process_fork(struct watched_process *parent,
					     struct watched_process_context *context, pid_t pid,
					     uint64_t started)
{
	struct watched_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->pid = pid;
	process->parent_pid = parent->pid;
	process->started = started;
	process->is_child = true;
	process->forked = watched_process_enter(parent, context);
	process->parent = parent->segment;
	process->maps_changed = true;
	memcpy(process->command, parent->command, sizeof(process->command));
	if (!inherit_maps(process, parent))
		return process;
	watched_process_free(process);
	return NULL;
}

void watched_process_rename(struct watched_process *process)
{
	char command[sizeof(process->command)] = "";

	if (!process->is_child)
		return;
	/* A process about to end has nothing to read. */
	proc_command(process->pid, command, sizeof(command));
	if (!*command)
		return;
	memcpy(process->command, command, sizeof(command));
	if (process->record)
		memcpy(process->record->command, command, sizeof(command));
}

static void write_sampler(struct watched_process *process, struct watched_process_context *context)
{
	struct record_sampler *sampler = room_take(&process->names, sizeof(*sampler));

	if (!sampler)
		return;
	strcpy(sampler->clock, context->is_event ? "event" : "ring");
	sampler->hz = context->hz;
	sampler->is_wall = context->is_wall;
	room_publish(&sampler->item, RECORD_SAMPLER);
	process->sampler = sampler;
	if (!context->first)
		context->first = sampler;
}

/* Makes the process's entry. Returns false without space. */
static bool make_entry(struct watched_process *process)
{
	uint64_t segment;
	struct record_process *record = room_segment(RECORD_PROCESS, 0, RECORD_GRAIN, &segment);

	if (!record) {
		if (!process->has_no_room)
			room_lost_process((uint32_t)process->pid);
		process->has_no_room = true;
		return false;
	}
	record->pid = (uint32_t)process->pid;
	record->parent_pid = (uint32_t)process->parent_pid;
	record->started = process->started;
	record->forked = process->forked;
	record->parent = process->forked ? process->parent : 0;
	watched_process_rename(process);
	memcpy(record->command, process->command, sizeof(record->command));
	process->record = record;
	process->segment = segment;
	process->names = (struct room){
		.next = (char *)(record + 1),
		.end = (char *)record - sizeof(struct record_segment) + RECORD_GRAIN,
		.kind = RECORD_NAMES,
		.owner = segment,
	};
	return true;
}

/* Uses the entry that the runtime in the process has made: a process has one. Names go to segments
 * of our own. Returns false if there is none. */
static bool share_entry(struct watched_process *process)
{
	uint64_t segment = process->calls.segment;
	struct record_process *record = segment ? room_segment_at(RECORD_PROCESS, segment) : NULL;

	if (!record || record->pid != (uint32_t)process->pid)
		return false;
	process->record = record;
	process->segment = segment;
	process->is_shared = true;
	process->names = (struct room){ .kind = RECORD_NAMES, .owner = segment };
	return true;
}

bool watched_process_enter(struct watched_process *process, struct watched_process_context *context)
{
	if (process->record)
		return true;
	if (!process->stacks_memory)
		process->stacks_memory = calloc(1, STACKS_BYTES);
	if (!process->stacks_memory ||
	    stacks_init(&process->stacks, process->stacks_memory, STACKS_BYTES))
		return false;
	if (!share_entry(process) && !make_entry(process))
		return false;
	if (context->cgroup)
		watched_labels_write(&process->names, process->pid, context->cgroup);
	write_sampler(process, context);
	write_maps(process);
	return true;
}

static bool write_wait(struct watched_process *process, uintptr_t at, char *name)
{
	struct watched_process_map map = { .code = { .start = at, .end = at + 4095 },
					   .path = name };

	return write_map(process, &map);
}

bool watched_process_name_waits(struct watched_process *process)
{
	static char no_cpu[] = "[waiting for a CPU]", unseen[] = "[waiting]";

	if (!process->has_waits)
		process->has_waits = write_wait(process, PROCESS_NO_CPU, no_cpu) &&
				     write_wait(process, PROCESS_UNSEEN, unseen);
	return process->has_waits;
}

/* Looks for an interpreter in new mappings. */
static void search(struct watched_process *process, struct watched_process_context *context)
{
	for (size_t i = 0; i < process->map_count; i++) {
		struct watched_process_map *map = &process->maps[i];
		struct watched_scripts_mapping mapping = { .pid = process->pid,
							   .code = &map->code,
							   .segment = process->segment,
							   .names = &process->names };

		if (!map->is_searched)
			watched_scripts_mapped(&process->scripts, &mapping);
		map->is_searched = true;
	}
	if (process->scripts)
		context->has_scripts = true;
}

static int publish(struct watched_process *process, struct watched_process_context *context)
{
	struct walker_code *codes = calloc(process->map_count + 1, sizeof(*codes));
	int status;

	if (!codes)
		return -ENOMEM;
	for (size_t i = 0; i < process->map_count; i++)
		codes[i] = process->maps[i].code;
	status = walker_publish(&process->walker, codes, process->map_count);
	free(codes);
	if (!status)
		process->maps_changed = false;
	search(process, context);
	return status;
}

void watched_process_walk(struct watched_process *process, struct watched_process_context *context,
			  struct walker_stack *stack, uint64_t time, struct walker_frames *frames)
{
	if (!process->maps_changed || !publish(process, context)) {
		process->walker.kept = watched_scripts_kept(process->scripts);
		process->walker.made = watched_scripts_made(process->scripts, process->pid, stack);
		walker_walk(&process->walker, process->pid, stack, frames);
		calls_entry_check(&process->calls, &process->callers, &process->walker, stack, time,
				  frames);
		watched_scripts_merge(process->scripts, process->pid, time, stack, frames);
		return;
	}
	frames->pcs[0] = stack->registers.value[ARCH_FRAME_PC];
	frames->depth = frames->certain = 1;
	frames->end = RECORD_STACK_BROKEN;
}

bool watched_process_knows(const struct watched_process *process, uint64_t address)
{
	for (size_t i = 0; i < process->map_count; i++)
		if (address >= process->maps[i].code.start && address < process->maps[i].code.end)
			return true;
	return false;
}

bool watched_process_stack(struct watched_process *process, struct watched_process_writer *writer,
			   const struct walker_frames *frames, uint32_t *number)
{
	uint64_t hashes[UNWIND_DEPTH];
	struct stack stack = { .pcs = frames->pcs,
			       .hashes = hashes,
			       .depth = (int)frames->depth,
			       .certain = (int)frames->certain,
			       .end = frames->end };
	struct stacks_tip tip;

	if (!stacks_number(&process->stacks, &writer->stacks, &stack, number))
		return false;
	tip = (struct stacks_tip){ hashes[0], *number };
	for (size_t i = frames->kernel_count; i-- > 0;) {
		uint64_t pc = frames->kernel[i] & ~RECORD_KERNEL_BIT;

		if (pc >= RECORD_KERNEL_START && pc < RECORD_KERNEL_END &&
		    !stacks_push(&process->stacks, &writer->stacks, pc, &tip))
			return false;
	}
	*number = tip.number;
	return true;
}

static struct watched_process_writer *new_writer(struct watched_process *process)
{
	struct watched_process_writer *writer = calloc(1, sizeof(*writer));
	uint64_t offset;

	if (!writer)
		return NULL;
	writer->head = room_segment(RECORD_THREAD, process->segment, RECORD_GRAIN, &offset);
	if (!writer->head) {
		free(writer);
		return NULL;
	}
	writer->room = (struct room){
		.next = (char *)(writer->head + 1),
		.end = (char *)writer->head - sizeof(struct record_segment) + RECORD_GRAIN,
		.kind = RECORD_COUNTS,
		.owner = offset,
	};
	writer->stacks.room = writer->samples.room = &writer->room;
	return writer;
}

struct watched_process_writer *watched_process_take_writer(struct watched_process *process)
{
	struct watched_process_writer *writer =
		process->idle_count ? process->idle[--process->idle_count] : new_writer(process);

	if (!writer)
		return NULL;
	writer->head->users++;
	if (!process->is_shared)
		process->record->threads++;
	return writer;
}

void watched_process_give_writer(struct watched_process *process,
				 struct watched_process_writer *writer)
{
	struct watched_process_writer **more =
		vec_room(process->idle, process->idle_count, sizeof(*more));

	if (!more) {
		free(writer);
		return;
	}
	process->idle = more;
	more[process->idle_count++] = writer;
}
