/* SPDX-License-Identifier: MIT
 *
 * process.h - a process that is watched, for as long as it runs one program: exec() makes another
 * of it. What it has mapped, which stacks it was seen with, and its entry in the recording.
 */
#ifndef DWELL_ATTACH_PROCESS_H
#define DWELL_ATTACH_PROCESS_H

#include "attach/proc.h"
#include "attach/remains.h"
#include "attach/walker.h"
#include "recording/write/samples.h"
#include "recording/write/stacks.h"

/* Executable memory. */
struct process_map {
	struct walker_code code;
	uint64_t time; /* in the recording's clock; 0: it was there when recording began */
	char *path;
	uint64_t inode;
	bool is_written; /* it is in the recording */
};

/* Where a thread makes its entries; one after another may use it. It stays where it is. */
struct process_writer {
	struct room room;
	struct record_thread *head;
	struct stacks_writer stacks;
	struct samples_writer samples;
};

struct process {
	pid_t pid, parent_pid;
	bool forked;              /* from the one whose segment is at `parent` */
	bool is_child;            /* of a fork, and has not called exec() since */
	bool has_no_room;         /* in the recording, which says so */
	uint64_t parent, started; /* in the recording's clock */
	char command[304];

	struct process_map *maps; /* by no order; they do not overlap */
	size_t map_count;
	bool maps_changed; /* since they were published */
	uint64_t reread;   /* when what is mapped was last asked for; see process_reread() */
	struct walker walker;

	/* In the recording; there is nothing before the first item. */
	struct record_process *record;
	uint64_t segment;
	struct room names;
	struct record_sampler *sampler;
	bool has_waits; /* PROCESS_NO_CPU and PROCESS_UNSEEN have their names there */

	struct stacks stacks;
	void *stacks_memory;
	struct process_writer **idle; /* of threads that have ended */
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
struct process_context {
	struct images images;
	uint32_t hz;
	bool is_wall;
	uint32_t unit_ns;             /* of the weight of samples */
	struct record_sampler *first; /* of the first process; NULL: there is none yet */
};

/* A process as it is now; time 0: recording begins. NULL: no memory. */
struct process *process_new(pid_t pid, pid_t parent_pid, uint64_t started);
/* As fork() makes it. */
struct process *process_fork(struct process *parent, struct process_context *context, pid_t pid,
			     uint64_t started);
void process_free(struct process *process);

/* It has ended, and its threads: what it has of the recording is for others to unmap. */
void process_leave(struct process *process, struct remains *remains);

/* Something has been mapped. 0 or -ENOMEM. */
int process_map(struct process *process, struct process_context *context,
		const struct proc_map *map, uint64_t time);

/* The child of a fork is called what it calls itself by now, which most servers let their children
 * do; what was exec'd keeps its arguments. */
void process_rename(struct process *process);

/* Whatever is mapped now and was not known. */
void process_reread(struct process *process, struct process_context *context, uint64_t time);

/* Makes sure that it has an entry in the recording. False: there is no space. */
bool process_enter(struct process *process, struct process_context *context);

/* The frames of a stack; process_enter() has been called. */
void process_walk(struct process *process, const struct walker_stack *stack,
		  struct walker_frames *frames);

/* Whether an address is in something that is known to be mapped. */
bool process_knows(const struct process *process, uint64_t address);

/* From now on these two may be in stacks; process_enter() has been called. False: no space. */
bool process_name_waits(struct process *process);

/* The number of the stack, which is written if it is new. False: no space. */
bool process_stack(struct process *process, struct process_writer *writer,
		   const struct walker_frames *frames, uint32_t *number);

/* For a thread, and back when it has ended; process_enter() has been called. NULL: no space. */
struct process_writer *process_take_writer(struct process *process);
void process_give_writer(struct process *process, struct process_writer *writer);

#endif
