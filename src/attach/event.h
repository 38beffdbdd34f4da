/* SPDX-License-Identifier: MIT
 *
 * event.h - decodes the events that the kernel writes into a ring. See perf_event_open(2).
 */
#ifndef DWELL_ATTACH_EVENT_H
#define DWELL_ATTACH_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Fields of every sample; without the stack if none is wanted. The order of the fields behind other
 * events follows from the same bits. */
#define EVENT_SAMPLE                                                                               \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |                    \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER)

struct event_sample {
	uint64_t period;           /* ns of CPU time */
	uint64_t abi;              /* of the registers; 0: none */
	const uint64_t *registers; /* a word for each bit of ARCH_PERF_REGS */
	const char *stack;         /* memory above the stack pointer */
	size_t stack_bytes;
	bool is_cut; /* it may have more than was copied */
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

/* Reads the time alone. False: the event is invalid. */
bool event_time(const struct perf_event_header *header, uint64_t *time);

/* Decodes an event. has_stack: samples have one. The event points into the bytes it was decoded
 * from. False: it is invalid, or not needed. */
bool event_decode(struct event *event, const struct perf_event_header *header, bool has_stack);

#endif
