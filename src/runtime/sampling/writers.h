/* SPDX-License-Identifier: MIT
 *
 * writers.h - the place where a thread writes its samples. A thread keeps its writer with its
 * record; the next thread with that record continues it.
 *
 * A writer is used only in the handler of its thread; or under the lock, when that has ended.
 */
#ifndef DWELL_RUNTIME_SAMPLING_WRITERS_H
#define DWELL_RUNTIME_SAMPLING_WRITERS_H

#include "perf_ring.h"
#include "runtime/process/entry.h"
#include "runtime/sampler/threads.h"
#include "recording/write/samples.h"
#include "recording/write/stacks.h"
#include "interpreter/interpreters.h"
#include "unwind/unwind.h"

/* A mapped segment. */
struct writer_segment {
	char *start; /* NULL: none */
	size_t size;
};

struct writer {
	uint64_t process; /* segment of its process */
	uint32_t generation;
	struct room room;
	struct stacks_writer stacks;
	struct samples_writer samples;
	struct writer_segment filling, full[2]; /* except for that of `thread` */
	struct record_thread *thread;           /* NULL: there is no space for a segment */
	uint32_t naming;    /* the count of writers_renamed() when it was named */
	uint32_t last;      /* frame of the last sample */
	uint64_t last_hash; /* of that stack: see stacks.h */
	bool has_last;
	_Atomic bool taken; /* in use; for writers shared by unknown threads */
	uint64_t pcs[UNWIND_DEPTH];
	uint64_t hashes[UNWIND_DEPTH];
	struct interpreters_space scripted;

	/* For kernel_stacks.c: the records that it has seen, and room for one. */
	const void *ring_page;
	uint64_t ring_count;
	struct perf_ring_record ring_record;
};
_Static_assert(SCRIPT_DEPTH == UNWIND_DEPTH, "a merged stack is as long as any other");

/*
 * Returns the writer of a thread, whose samples are of `weight_ns` each; thread NULL: of the
 * calling one, which is unknown. NULL: there is no memory or no space in the recording for one, or
 * all that unknown threads may use are taken. Call writers_done() after use.
 */
struct writer *writers_of(struct thread *thread, const struct entry *entry, uint32_t weight_ns);
void writers_done(struct writer *writer);

/* Allocates it. Under the lock, or in the handler of the thread. */
void writers_prepare(struct thread *thread);

/*
 * Returns the writer of a thread that has written samples; NULL: it has written none. Under the
 * lock.
 */
struct writer *writers_find(const struct thread *thread);

/*
 * Notes that a thread of this process may have another name: each reads it with its next sample, or
 * at its end. Any context.
 */
void writers_renamed(void);

/* Reads the name of the writer's thread, if that is the calling one and names have changed. */
void writers_name(struct writer *writer);

/* Resets the writers in the child of a fork. */
void writers_after_fork(void);

#endif
