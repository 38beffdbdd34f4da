/* SPDX-License-Identifier: MIT
 *
 * watched_thread.h - a thread that is watched, and its samples in the recording.
 */
#ifndef DWELL_ATTACH_WATCHED_THREAD_H
#define DWELL_ATTACH_WATCHED_THREAD_H

#include "attach/account.h"
#include "attach/watched_process.h"
#include "attach/waits.h"

/* What blocked.c knows of a thread. */
struct watched_thread_blocked {
	struct waits waits;

	/* Of its program: where it was blocked, and waited for a CPU, when that was last seen. */
	uint32_t stack, queue_stack;
	bool has_stack, has_queue_stack;
	bool is_there;        /* it has not left the first of these since the last look */
	unsigned skips, skip; /* looks to be left out in a row, and how many of them are left */
};

struct watched_thread {
	pid_t tid;
	struct watched_process *process;
	char name[16];
	pid_t root;            /* whose counters its samples are of; 0: of the first that is seen */
	uint64_t base_ns;      /* CPU time that it had used when it came to us */
	uint64_t known_ns;     /* what it has used since then, at the last look */
	bool is_unaccountable; /* that is not known, so samples stay as they are */
	struct account account;
	bool is_elsewhere; /* open samples are of the program that it was before */
	bool is_gone;      /* its time could not be read any more */
	bool is_missing;   /* it was not in /proc at the last look */

	struct watched_process_writer *writer; /* NULL: none so far */
	struct watched_thread_blocked blocked;
};

/* A sample to be written. */
struct watched_thread_sample {
	uint64_t time;    /* in the recording's clock */
	uint64_t time_ns; /* as events have it */
	uint64_t ns;      /* of CPU time, or of waiting */
	bool is_blocked;
	const struct walker_frames *frames; /* NULL: `stack` is the number of a known one */
	uint32_t stack;
};

struct watched_thread *watched_thread_new(struct watched_process *process, pid_t tid,
					  const char *name);
/* Its writer goes to others; its account should have been moved. */
void watched_thread_free(struct watched_thread *thread);

/* From now on it runs another program. */
void watched_thread_set_process(struct watched_thread *thread, struct watched_process *process);
void watched_thread_rename(struct watched_thread *thread, const char *name);

/* False: there is no space. *stack is the number of its stack. */
bool watched_thread_write(struct watched_thread *thread, struct watched_process_context *context,
			  const struct watched_thread_sample *sample, uint32_t *stack);

#endif
