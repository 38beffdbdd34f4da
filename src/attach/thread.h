/* SPDX-License-Identifier: MIT
 *
 * thread.h - a thread that is watched, and its samples in the recording.
 */
#ifndef DWELL_ATTACH_THREAD_H
#define DWELL_ATTACH_THREAD_H

#include "attach/account.h"
#include "attach/process.h"
#include "attach/waits.h"

/* What blocked.c knows of a thread. */
struct thread_blocked {
	struct waits waits;

	/* Of its program: where it was blocked, and waited for a CPU, when that was last seen. */
	uint32_t stack, queue_stack;
	bool has_stack, has_queue_stack;
	bool is_there;        /* it has not left the first of these since the last look */
	unsigned skips, skip; /* looks to be left out in a row, and how many of them are left */
};

struct thread {
	pid_t tid;
	struct process *process;
	char name[16];
	pid_t root;            /* whose counters its samples are of; 0: of the first that is seen */
	uint64_t base_ns;      /* CPU time that it had used when it came to us */
	uint64_t known_ns;     /* what it has used since then, at the last look */
	bool is_unaccountable; /* that is not known, so samples stay as they are */
	struct account account;
	bool is_elsewhere; /* open samples are of the program that it was before */
	bool is_gone;      /* its time could not be read any more */
	bool is_missing;   /* it was not in /proc at the last look */

	struct process_writer *writer; /* NULL: none so far */
	struct thread_blocked blocked;
};

/* A sample to be written. */
struct thread_sample {
	uint64_t time;    /* in the recording's clock */
	uint64_t time_ns; /* as events have it */
	uint64_t ns;      /* of CPU time, or of waiting */
	bool is_blocked;
	const struct walker_frames *frames; /* NULL: `stack` is the number of a known one */
	uint32_t stack;
};

struct thread *thread_new(struct process *process, pid_t tid, const char *name);
/* Its writer goes to others; its account should have been moved. */
void thread_free(struct thread *thread);

/* From now on it runs another program. */
void thread_set_process(struct thread *thread, struct process *process);
void thread_rename(struct thread *thread, const char *name);

/* False: there is no space. *stack is the number of its stack. */
bool thread_write(struct thread *thread, struct process_context *context,
		  const struct thread_sample *sample, uint32_t *stack);

#endif
