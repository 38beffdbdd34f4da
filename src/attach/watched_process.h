/* SPDX-License-Identifier: MIT
 *
 * watched_process.h - a process that is watched, for as long as it runs one program: exec() makes
 * another of it. What it has mapped, which stacks it was seen with, and its entry in the recording.
 */
#ifndef DWELL_ATTACH_WATCHED_PROCESS_H
#define DWELL_ATTACH_WATCHED_PROCESS_H

#include "attach/proc.h"
#include "attach/unmapping.h"
#include "attach/walker.h"
#include "recording/write/samples.h"
#include "recording/write/stacks.h"

/* Executable memory. */
struct watched_process_map {
	struct walker_code code;
	uint64_t time; /* in the recording's clock; 0: it was there when recording began */
	char *path;
	uint64_t inode;
	bool is_written; /* it is in the recording */
};

/* Where a thread makes its entries; one after another may use it. It stays where it is. */
struct watched_process_writer {
	struct room room;
	struct record_thread *head;
	struct stacks_writer stacks;
	struct samples_writer samples;
};

struct watched_process {
	pid_t pid, parent_pid;
	bool forked;              /* from the one whose segment is at `parent` */
	bool is_child;            /* of a fork, and has not called exec() since */
	bool has_no_room;         /* in the recording, which says so */
	uint64_t parent, started; /* in the recording's clock */
	char command[304];

	struct watched_process_map *maps; /* by no order; they do not overlap */
	size_t map_count;
	bool maps_changed; /* since they were published */
	uint64_t reread; /* when what is mapped was last asked for; see watched_process_reread() */
	struct walker walker;

	/* In the recording; there is nothing before the first item. */
	struct record_process *record;
	uint64_t segment;
	struct room names;
	struct record_sampler *sampler;
	bool has_waits; /* PROCESS_NO_CPU and PROCESS_UNSEEN have their names there */

	struct stacks stacks;
	void *stacks_memory;
	struct watched_process_writer **idle; /* of threads that have ended */
	size_t idle_count;
	size_t threads; /* that live */
};

/*
 * Addresses that stand for waiting: for a CPU, and where nobody has seen. They are in memory that
 * no program can have, and which has such names in the recording.
 */
#define PROCESS_NO_CPU ((uintptr_t)INTPTR_MAX - 8191)
#define PROCESS_UNSEEN ((uintptr_t)INTPTR_MAX - 4095)

/* What all processes have in common. */
struct watched_process_context {
	struct images images;
	uint32_t hz;
	bool is_wall;
	uint32_t unit_ns;             /* of the weight of samples */
	struct record_sampler *first; /* of the first process; NULL: there is none yet */
};

/* A process as it is now; time 0: recording begins. NULL: no memory. */
struct watched_process *watched_process_new(pid_t pid, pid_t parent_pid, uint64_t started);
/* As fork() makes it. */
struct watched_process *watched_process_fork(struct watched_process *parent,
					     struct watched_process_context *context, pid_t pid,
					     uint64_t started);
void watched_process_free(struct watched_process *process);

/* It has ended, and its threads: what it has of the recording is for others to unmap. */
void watched_process_leave(struct watched_process *process, struct unmapping *unmapping);

/* Something has been mapped. 0 or -ENOMEM. */
int watched_process_map(struct watched_process *process, struct watched_process_context *context,
			const struct proc_map *map, uint64_t time);

/* The child of a fork is called what it calls itself by now, which most servers let their children
 * do; what was exec'd keeps its arguments. */
void watched_process_rename(struct watched_process *process);

/* Whatever is mapped now and was not known. */
void watched_process_reread(struct watched_process *process,
			    struct watched_process_context *context, uint64_t time);

/* Makes sure that it has an entry in the recording. False: there is no space. */
bool watched_process_enter(struct watched_process *process,
			   struct watched_process_context *context);

/* The frames of a stack; watched_process_enter() has been called. */
void watched_process_walk(struct watched_process *process, const struct walker_stack *stack,
			  struct walker_frames *frames);

/* Whether an address is in something that is known to be mapped. */
bool watched_process_knows(const struct watched_process *process, uint64_t address);

/* From now on these two may be in stacks; watched_process_enter() has been called. False: no space.
 */
bool watched_process_name_waits(struct watched_process *process);

/* The number of the stack, which is written if it is new. False: no space. */
bool watched_process_stack(struct watched_process *process, struct watched_process_writer *writer,
			   const struct walker_frames *frames, uint32_t *number);

/* For a thread, and back when it has ended; watched_process_enter() has been called. NULL: no
 * space. */
struct watched_process_writer *watched_process_take_writer(struct watched_process *process);
void watched_process_give_writer(struct watched_process *process,
				 struct watched_process_writer *writer);

#endif
