/* SPDX-License-Identifier: MIT
 *
 * live.h - shows where a program spends its time now: the samples of the last seconds of a
 * recording being written, folded by stack and thread into buckets of a quarter of a second. A
 * refresh reads what is new, and costs only as much as that; samples older than the window are
 * dropped. So memory is always bounded by the window, by the program's functions and by
 * LIVE_FRAMES_MAX.
 *
 *	live_open(&live, path, &options, &err)
 *	live_refresh(&live, now, false, &err)	repeatedly
 *	live_take(&live, &err)	the current window, from which rows are made
 */
#ifndef DWELL_MODEL_LIVE_LIVE_H
#define DWELL_MODEL_LIVE_LIVE_H

#include "live_stacks.h"
#include "model/profile/profile.h"
#include "recording/read/tail.h"

#define LIVE_BUCKET_NS UINT64_C(250000000)

/* Longer names of programs are cut. */
#define LIVE_PROGRAM_BYTES 64

struct live_options {
	double window_s;
	uint64_t lag_ns; /* the writer may still change younger samples */
	bool keep;       /* the recording: its space is not given back as it is read */
	bool mangled, no_inline;
};

/* A thread that has samples in the window. */
struct live_thread {
	uint64_t process; /* offset of its segment */
	uint32_t pid, tid;
	char name[20]; /* its last one */
	char program[LIVE_PROGRAM_BYTES];
};

/* A stack of a thread. */
struct live_entry {
	uint32_t node, thread;
	struct profile_amount amount;
	struct profile_amount waiting; /* the part in which the thread waited */
};

/* Entries, one for each stack of each thread. Starts as all zeroes. */
struct live_fold {
	struct live_entry *entries;
	size_t count;
	struct hash places; /* node and thread -> index in entries */
};

struct live_bucket {
	uint64_t number; /* quarters of a second since the start */
	struct live_fold fold;
};

/* A sample some of whose frames are still missing. */
struct live_pending {
	uint64_t process, time, ns;
	uint32_t frame, thread;
	bool is_waiting, is_rest; /* is_rest: further time of a sample that was taken before */
};

/* The window at an instant. */
struct live_window {
	struct live_fold fold;
	struct profile_amount amount; /* of all entries, as the next */
	struct profile_amount waiting;
	double seconds; /* its length */
};

/* Its parts point to each other, so it must not be moved. */
struct live {
	struct tail tail;
	struct live_options options;
	struct live_stacks stacks;
	struct timescale scale;
	struct live_thread *threads;
	size_t thread_count;
	struct hash by_tid;          /* process and tid -> index in threads */
	struct live_bucket *buckets; /* a ring by number */
	size_t bucket_count, in_window;
	uint64_t now; /* the last bucket of the window */
	struct live_pending *pending;
	size_t pending_count;
	struct live_window window; /* as last taken */
	struct profile_amount all; /* samples since the start */
	size_t nodes_limit, threads_limit;
	double seconds;  /* since the start */
	double tidied_s; /* time of the last search for ended processes */
};

/* Opens a recording. On success, free with live_close(). */
int live_open(struct live *live, const char *path, const struct live_options *options,
	      struct err *err);
void live_close(struct live *live);

/* Reads what is new up to now, in ticks of the recording's clock; everything, if is_last. Returns 0
 * or -errno. */
int live_refresh(struct live *live, uint64_t now, bool is_last, struct err *err);

/* Updates the window. Returns 0 or -errno. */
int live_take(struct live *live, struct err *err);

#endif
