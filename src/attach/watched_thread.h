/* SPDX-License-Identifier: MIT
 *
 * watched_thread.h - a watched thread, and its samples in the recording.
 */
#ifndef DWELL_ATTACH_WATCHED_THREAD_H
#define DWELL_ATTACH_WATCHED_THREAD_H

#include "attach/account.h"
#include "attach/watched_process.h"
#include "attach/waits.h"

/* State of a thread for blocked.c. */
struct watched_thread_blocked {
	struct waits waits;

	/* In its program: where it was last seen blocked, and waiting for a CPU. */
	uint32_t stack, queue_stack;
	bool has_stack, has_queue_stack;
	bool is_there;        /* it has not left the first of these since the last look */
	unsigned skips, skip; /* looks to skip in a row, and how many of them are left */
};

struct watched_thread {
	pid_t tid;
	struct watched_process *process;
	char name[16];
	pid_t root;            /* thread whose counters its samples come from; 0: the first one
				* seen */
	uint64_t base_ns;      /* CPU time used before we watched it */
	uint64_t known_ns;     /* CPU time since then, at the last look */
	bool is_unaccountable; /* that is unknown, so samples keep their weights */
	uint64_t period; /* of the next sample of an event, if the kernel reports it late; 0: 1 */
	struct account account;
	bool is_elsewhere; /* open samples belong to the program that it was before */
	bool is_gone;      /* its time cannot be read any more */
	bool is_missing;   /* not in /proc at the last look */

	struct watched_process_writer *writer; /* NULL: none so far */
	struct watched_thread_blocked blocked;
};

/* A sample to be written. */
struct watched_thread_sample {
	uint64_t time;    /* in the recording's clock */
	uint64_t time_ns; /* in the clock of events */
	uint64_t ns;      /* of CPU time, or of waiting */
	bool is_blocked;
	bool is_settled;                    /* all of `ns` is CPU time by the kernel's figure */
	const struct walker_frames *frames; /* NULL: `stack` is the number of a known one */
	uint32_t stack;
};

struct watched_thread *watched_thread_new(struct watched_process *process, pid_t tid,
					  const char *name);
/* Frees a thread. Its writer is reused; its account should have been moved. */
void watched_thread_free(struct watched_thread *thread);

/* Notes that it runs another program from now on. */
void watched_thread_set_process(struct watched_thread *thread, struct watched_process *process);
void watched_thread_rename(struct watched_thread *thread, const char *name);

/* Returns the last sample that was written for it; NULL: none. */
struct record_sample *watched_thread_last(const struct watched_thread *thread);

/* Writes a sample; *stack receives the number of its stack. False: no space. */
bool watched_thread_write(struct watched_thread *thread, struct watched_process_context *context,
			  const struct watched_thread_sample *sample, uint32_t *stack);

#endif
