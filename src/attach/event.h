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

/* The form of samples. The order of the fields behind other events follows from the same bits. */
struct event_form {
	bool has_stack;
	bool has_chain; /* functions of the kernel */
	/* The period of all samples: it is not in them. The kernel would write a sample for each
	 * event of software otherwise. 0: each has its own. */
	uint64_t period;
};

/* Returns the fields that a form has, as in struct perf_event_attr. */
uint64_t event_sample_type(const struct event_form *form);

struct event_sample {
	uint64_t period;           /* ns of CPU time, or number of events */
	uint64_t abi;              /* of the registers; 0: none */
	const uint64_t *registers; /* a word for each bit of ARCH_PERF_REGS */
	const uint64_t *chain;     /* addresses in the kernel, the innermost first, and marks */
	size_t chain_count;
	const char *stack; /* memory above the stack pointer */
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

/* Decodes an event. The event points into the bytes it was decoded from. False: it is invalid, or
 * not needed. */
bool event_decode(struct event *event, const struct perf_event_header *header,
		  const struct event_form *form);

#endif
