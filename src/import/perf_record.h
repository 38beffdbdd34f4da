/* SPDX-License-Identifier: MIT
 *
 * perf_record.h - the records of a perf.data. The fields of a sample depend on its event, which is
 * found first.
 */
#ifndef DWELL_IMPORT_PERF_RECORD_H
#define DWELL_IMPORT_PERF_RECORD_H

#include "perf_file.h"

/* Kinds that perf itself writes, among those of the kernel; perf_pipe.c has those of a pipe's
 * header. */
enum perf_record_own {
	PERF_RECORD_OWN_TRACING = 66,
	PERF_RECORD_OWN_AUXTRACE = 71,
	PERF_RECORD_OWN_COMPRESSED = 81,
	PERF_RECORD_OWN_COMPRESSED2 = 83,
};

struct perf_record {
	struct perf_event_header header;
	struct perf_part body; /* behind the header */
	uint32_t event;        /* index; HASH_NONE: unknown */
	uint64_t time;         /* 0: unknown, as for what was there before */
	size_t number;         /* orders those of one time; the caller's */
};

/* The fields of a sample that are used. */
struct perf_sample {
	uint64_t ip, period;
	uint32_t pid, tid;
	uint64_t depth;             /* of its stack */
	struct perf_part stack;     /* addresses, the innermost first, with marks between them */
	uint64_t abi;               /* of the registers; 0: none */
	struct perf_part registers; /* a word for each bit of sample_regs_user */
	struct perf_part copy;      /* of the stack, from its pointer on; empty: none */
	bool is_cut;                /* the stack may go on above it */
};

/* Cuts the next record off the data, whose event and time are not looked up. Returns 1, 0 at the
 * end, or -errno. */
int perf_record_cut(const struct perf_file *perf, struct perf_part *data,
		    struct perf_record *record, struct err *err);

/* The same with event and time. */
int perf_record_next(const struct perf_file *perf, struct perf_part *data,
		     struct perf_record *record, struct err *err);

/* Returns false if the sample is shorter than its fields. */
bool perf_record_sample(const struct perf_file *perf, const struct perf_record *record,
			struct perf_sample *sample);

#endif
