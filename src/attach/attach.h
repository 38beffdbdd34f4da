/* SPDX-License-Identifier: MIT
 *
 * attach.h - samples running processes from outside: nothing is loaded into them, no signal is
 * sent, nothing is stopped. The kernel counts the CPU time of every thread and copies registers and
 * stack into rings of memory when a period is over; here the stacks are walked and written to a
 * recording, in the form in which the runtimes inside of programs write it.
 *
 *	struct err err;
 *	if (attach_open(&attach, &options, path, &err))	a recording that recording/make/create.h has
 *made
 *		...
 *	while (attach_pump(attach, 100) > 0 && !enough)
 *		;
 *	attach_close(attach);
 *
 * One at a time in a process, since that is how recording/write/room.h is made.
 */
#ifndef DWELL_ATTACH_ATTACH_H
#define DWELL_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define ATTACH_STACK_BYTES ((uint32_t)16384)

struct attach;

struct attach_options {
	const pid_t *pids;
	size_t pid_count;
	/* Each has one thread, which is about to call exec(): samples begin with what it becomes.
	 */
	bool at_exec;
	uint32_t hz;          /* samples for a second of CPU time of a thread; 1 to 50000 */
	bool stacks;          /* or else the innermost frame alone */
	uint32_t stack_bytes; /* copied with each sample, at most 60000; 0: ATTACH_STACK_BYTES */
	bool follow;          /* also processes that these have started, and will */
	uint32_t blocked_hz;  /* so often a second, look at threads that wait; 0: never */
};

/* For a line that tells how it goes. */
struct attach_status {
	uint64_t samples;          /* in the recording */
	uint64_t lost;             /* events that there was no room for */
	size_t processes, threads; /* that live */
	size_t targets;            /* of those that were asked for, how many live */
	bool user_only; /* kernel time is seen as a sum only, and told by the samples around it */
};

/* The path must stay. On success, attach_close() is due. Errors are one sentence. */
int attach_open(struct attach **attach, const struct attach_options *options, const char *path,
		struct err *err);

/* Waits so long at most for something to do, and does it. How many processes live. */
size_t attach_pump(struct attach *attach, int timeout_ms);

struct attach_status attach_status(const struct attach *attach);

/* Lets go of the processes, and writes down what is left to be written. */
void attach_close(struct attach *attach);

#endif
