/* SPDX-License-Identifier: MIT
 *
 * watched_process.h - a watched process, while it runs one program: exec() makes it another one.
 * Contains its mappings, its known stacks, and its entry in the recording.
 */
#ifndef DWELL_ATTACH_WATCHED_PROCESS_H
#define DWELL_ATTACH_WATCHED_PROCESS_H

#include "attach/calls_entry.h"
#include "attach/proc.h"
#include "attach/unmapping.h"
#include "attach/walker.h"
#include "attach/watched_scripts.h"
#include "recording/write/samples.h"
#include "recording/write/stacks.h"

/* Executable memory. */
struct watched_process_map {
	struct walker_code code;
	uint64_t time; /* in the recording's clock; 0: present when recording began */
	char *path;
	uint64_t inode;
	bool is_written;  /* to the recording */
	bool is_searched; /* for an interpreter */
};

/* The writer of a thread; several may use it one after another. Its address does not change. */
struct watched_process_writer {
	struct room room;
	struct record_thread *head;
	struct stacks_writer stacks;
	struct samples_writer samples;
};

struct watched_process {
	pid_t pid, parent_pid;
	bool forked;              /* from the one whose segment is at `parent` */
	bool is_child;            /* of a fork, without exec() since */
	bool has_no_room;         /* in the recording, which notes that */
	uint64_t parent, started; /* in the recording's clock */
	char command[304];

	struct watched_process_map *maps; /* unordered; they do not overlap */
	size_t map_count;
	bool maps_changed; /* since they were published */
	uint64_t reread;   /* when mappings were last read; see watched_process_reread() */
	struct walker walker;
	struct watched_scripts *scripts; /* NULL: no interpreter is known */

	struct calls_entry calls;      /* of the runtime in it; all 0: none is */
	struct calls_callers *callers; /* NULL: none is known */

	/* In the recording; NULL before the first item. */
	struct record_process *record;
	uint64_t segment;
	bool is_shared; /* the process writes to `record`, too */
	struct room names;
	struct record_sampler *sampler;
	bool has_waits; /* PROCESS_NO_CPU and PROCESS_UNSEEN are named there */

	struct stacks stacks;
	void *stacks_memory;
	struct watched_process_writer **idle; /* of ended threads */
	size_t idle_count;
	size_t threads; /* living */
};

/* Addresses that stand for waiting: for a CPU, and at an unknown place. They are in memory that no
 * program can have, and have these names in the recording. */
#define PROCESS_NO_CPU ((uintptr_t)INTPTR_MAX - 8191)
#define PROCESS_UNSEEN ((uintptr_t)INTPTR_MAX - 4095)

/* State shared by all processes. */
struct watched_process_context {
	struct images images;
	uint32_t hz;
	bool is_wall;
	bool is_event;                /* weights are counts of an event, and final */
	const char *cgroup;           /* directory of the one recorded; NULL: none */
	bool has_scripts;             /* an interpreter was found: samples are urgent */
	uint32_t unit_ns;             /* of the weight of samples */
	struct record_sampler *first; /* of the first process; NULL: none yet */
};

/* Makes a process as it is now; time 0: recording begins. NULL: no memory. */
struct watched_process *watched_process_new(pid_t pid, pid_t parent_pid, uint64_t started);
/* Makes a child as fork() does. */
struct watched_process *watched_process_fork(struct watched_process *parent,
					     struct watched_process_context *context, pid_t pid,
					     uint64_t started);
void watched_process_free(struct watched_process *process);

/* Releases an ended process and its threads: its parts of the recording go to `unmapping`. */
void watched_process_leave(struct watched_process *process, struct unmapping *unmapping);

/* Adds a mapping. Returns 0 or -ENOMEM. */
int watched_process_map(struct watched_process *process, struct watched_process_context *context,
			const struct proc_map *map, uint64_t time);

/* Renames the child of a fork to its current title, which most servers set in their children; a
 * program that was exec'd keeps its arguments. */
void watched_process_rename(struct watched_process *process);

/* Adds all current mappings that were unknown. */
void watched_process_reread(struct watched_process *process,
			    struct watched_process_context *context, uint64_t time);

/* Ensures that it has an entry in the recording. False: no space. */
bool watched_process_enter(struct watched_process *process,
			   struct watched_process_context *context);

/* Walks a stack, at a time in the recording's clock; after watched_process_enter(). */
void watched_process_walk(struct watched_process *process, struct watched_process_context *context,
			  struct walker_stack *stack, uint64_t time, struct walker_frames *frames);

/* Returns true if an address is in a known mapping. */
bool watched_process_knows(const struct watched_process *process, uint64_t address);

/* Names these two in the recording, for use in stacks; after watched_process_enter(). False: no
 * space.
 */
bool watched_process_name_waits(struct watched_process *process);

/* Returns the number of the stack, which is written if it is new. False: no space. */
bool watched_process_stack(struct watched_process *process, struct watched_process_writer *writer,
			   const struct walker_frames *frames, uint32_t *number);

/* Takes a writer for a thread, or returns it at the thread's end; after watched_process_enter().
 * NULL: no space. */
struct watched_process_writer *watched_process_take_writer(struct watched_process *process);
void watched_process_give_writer(struct watched_process *process,
				 struct watched_process_writer *writer);

#endif
