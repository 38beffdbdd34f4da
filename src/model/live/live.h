/* SPDX-License-Identifier: MIT
 *
 * live.h - where a program spends its time now: the samples of the last seconds of a recording that
 * is being written, folded by stack and thread into buckets of a quarter of a second. A look takes
 * in what is new, and costs as much as that; what is older than the window is dropped. So however
 * long it goes on, memory is bounded by the window, by the program's functions and by
 * LIVE_FRAMES_MAX.
 *
 *	live_open(&live, path, &options, &err)
 *	live_refresh(&live, now, false, &err)	again and again
 *	live_take(&live, &err)	the window as it is now, which rows are made of
 */
#ifndef DWELL_MODEL_LIVE_LIVE_H
#define DWELL_MODEL_LIVE_LIVE_H

#include "live_stacks.h"
#include "model/profile/profile.h"
#include "recording/read/tail.h"

#define LIVE_BUCKET_NS UINT64_C(250000000)

struct live_options {
	double window_s;
	uint64_t lag_ns; /* samples that are younger may still be changed by who writes them */
	bool keep;       /* the recording: it is not given back as it is read */
	bool mangled;
};

/* A thread that has samples in the window. */
struct live_thread {
	uint64_t process; /* offset of its segment */
	uint32_t pid, tid;
	char name[20]; /* the last that it had */
};

/* A stack of a thread. */
struct live_entry {
	uint32_t node, thread;
	struct profile_amount amount;
};

/* Entries, each stack of each thread once. Starts as all zeroes. */
struct live_fold {
	struct live_entry *entries;
	size_t count;
	struct hash places; /* of node and thread -> place in entries */
};

struct live_bucket {
	uint64_t number; /* quarters of a second since the start */
	struct live_fold fold;
};

/* A sample whose frames have not all come yet. */
struct live_pending {
	uint64_t process, time, ns;
	uint32_t frame, thread;
};

/* The window at an instant. */
struct live_window {
	struct live_fold fold;
	struct profile_amount amount; /* of all entries */
	double seconds;               /* that it covers */
};

/* Its parts point to each other, so it stays where it was opened. */
struct live {
	struct tail tail;
	struct live_options options;
	struct live_stacks stacks;
	struct timescale scale;
	struct live_thread *threads;
	size_t thread_count;
	struct hash by_tid;          /* of process and tid -> place in threads */
	struct live_bucket *buckets; /* a ring by number */
	size_t bucket_count, in_window;
	uint64_t now; /* the bucket that the window ends with */
	struct live_pending *pending;
	size_t pending_count;
	struct live_window window; /* as it was last taken */
	struct profile_amount all; /* samples since the start */
	size_t nodes_limit, threads_limit;
	double seconds;  /* since the start */
	double tidied_s; /* when it was last looked for processes that have ended */
};

/* On success, live_close() is due. */
int live_open(struct live *live, const char *path, const struct live_options *options,
	      struct err *err);
void live_close(struct live *live);

/* Takes in what is new up to now, in ticks of the recording's clock; everything that is there, if
 * it is the last time. 0 or -errno. */
int live_refresh(struct live *live, uint64_t now, bool is_last, struct err *err);

/* Makes the window what it is now. 0 or -errno. */
int live_take(struct live *live, struct err *err);

#endif
