/* SPDX-License-Identifier: MIT */
#include "entry.h"

#include "instant.h"
#include "runtime/guard/pid_namespace.h"
#include "title.h"
#include "sys.h"

/* Reads the arguments this image was started with, as many as fit. */
static void read_command(char *command, size_t size)
{
	int fd = sys_open("/proc/self/cmdline", O_RDONLY);
	long length;

	if (fd < 0)
		return;
	length = sys_read(fd, command, size - 1);
	command[length < 0 ? 0 : length] = '\0';
	sys_close(fd);
}

/*
 * Returns the parent's mapping, if the child's may take its place. Names of a parent hold for its
 * children. A parent without names need not stay mapped, or each generation of a program that
 * continues as its own child would add a mapping.
 */
static void *replaceable(const struct entry *parent)
{
	return parent && parent->names.next == (char *)(parent->process + 1) ? parent->process
									     : NULL;
}

/* Returns the space behind the head of a segment of one grain. */
static struct room rest_of(void *head, void *head_end, uint32_t kind, uint64_t segment)
{
	char *start = (char *)head - sizeof(struct record_segment);

	return (struct room){
		.next = head_end, .end = start + RECORD_GRAIN, .kind = kind, .owner = segment
	};
}

/*
 * Assigns each field: a compiler may clear a structure with memset(), which cannot be called before
 * this library is relocated.
 */
static void entry_set(struct entry *entry, struct record_process *process, uint64_t segment)
{
	entry->process = process;
	entry->segment = segment;
	entry->names = (struct room){ 0 };
	if (process)
		entry->names = rest_of(process, process + 1, RECORD_NAMES, segment);
	entry->has_calls = false;
}

void entry_make(struct entry *entry, const struct entry *parent)
{
	uint64_t segment = 0, inside = 0, outside = 0;
	struct record_process *process;

	if (parent && parent->process) {
		inside = parent->process->inside;
		outside = parent->process->outside;
	} else {
		parent = NULL;
	}
	process = room_segment_over(replaceable(parent), RECORD_PROCESS, 0, &segment);
	if (!process) {
		room_lost_process((uint32_t)sys_getpid());
		entry_set(entry, NULL, 0);
		return;
	}
	process->pid = (uint32_t)sys_getpid();
	process->parent_pid = (uint32_t)sys_getppid();
	process->pid_namespace = pid_namespace();
	process->started = instant_now();
	read_command(process->command, sizeof(process->command));
	process->inside = inside;
	process->outside = outside;
	process->forked = parent ? 1 : 0;
	process->parent = parent ? parent->segment : 0;
	entry_set(entry, process, segment);
}

void entry_rename(const struct entry *entry)
{
	struct record_process *process = entry->process;

	if (process && process->forked && process->pid == (uint32_t)sys_getpid())
		title_read(process->command, sizeof(process->command));
}

struct record_thread *entry_thread(const struct entry *entry, struct record_thread *old,
				   struct room *room)
{
	uint64_t segment;
	struct record_thread *thread =
		room_segment_over(old, RECORD_THREAD, entry->segment, &segment);

	if (thread)
		*room = rest_of(thread, thread + 1, RECORD_COUNTS, segment);
	return thread;
}
