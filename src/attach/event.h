/* SPDX-License-Identifier: MIT
 *
 * event.h - what the kernel writes into a ring, taken apart. See perf_event_open(2).
 */
#ifndef DWELL_ATTACH_EVENT_H
#define DWELL_ATTACH_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What every sample has; the stack is left out if none is wanted. The order of what is behind other
 * events follows from the same bits. */
#define EVENT_SAMPLE                                                                               \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |                    \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER)

struct event_sample {
	uint64_t period;           /* ns of CPU time */
	uint64_t abi;              /* of the registers; 0: there are none */
	const uint64_t *registers; /* a word for each bit of ARCH_PERF_REGS */
	const char *stack;         /* what is above the stack pointer */
	size_t stack_bytes;
	bool is_cut; /* there may be more of it than was copied */
};

struct event_map {
	uint64_t start, size, offset, inode;
	bool is_executable;
	const char *path;
};

struct event {
	uint32_t type; /* enum perf_event_type */
	uint16_t misc;
	pid_t pid, tid;
	uint64_t time, id;
	union {
		struct event_sample sample;
		struct event_map map;
		struct {
			pid_t parent_pid, parent_tid;
		};
		const char *name; /* PERF_RECORD_COMM */
		uint64_t lost;
	};
};

/* When it was, without a look at the rest. False: it makes no sense. */
bool event_time(const struct perf_event_header *header, uint64_t *time);

/* has_stack: whether samples have one. The event points into the bytes it was made from. False: it
 * makes no sense, or is of a kind that is of no interest. */
bool event_decode(struct event *event, const struct perf_event_header *header, bool has_stack);

#endif
