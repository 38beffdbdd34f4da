/* SPDX-License-Identifier: MIT
 *
 * sink.h - the destination of ticks: the histogram of profil(), the regions of sprofil(), the array
 * of pcsample().
 */
#ifndef DWELL_RUNTIME_SAMPLER_SINK_H
#define DWELL_RUNTIME_SAMPLER_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct thread;

enum sink_answer {
	SINK_COUNTED,
	SINK_OUTSIDE, /* valid, but the pc belongs to no counter */
	SINK_DONE     /* full, or its memory is gone: it takes no more, profiling ends */
};

/* Ticks at one place. */
struct sink_ticks {
	uintptr_t pc;
	uint64_t weight;       /* how many */
	struct thread *thread; /* NULL: the whole process */
	const ucontext_t *
		uc; /* of the interrupted code; NULL: no thread was interrupted, the time is past */
	bool is_coarse; /* raised in the kernel's own tick */
};

struct sink {
	/* Runs in the signal handler, on any thread, several at once; or under the lock, for the
	 * past. */
	enum sink_answer (*take)(struct sink *sink, const struct sink_ticks *ticks);

	/* The child of a fork goes on counting, in its own copy of the memory. */
	bool follows_fork;

	/*
	 * The process is one of many, most of which may be shorter than a tick: its first tick
	 * comes at a random time, so that their sum is right.
	 */
	bool is_one_of_many;

	/*
	 * take() may take as long as a tick: threads for which it does tick less often, so that
	 * some time is left to the program.
	 */
	bool is_governed;

	/*
	 * The thread that starts is billed for the time since its CPU clock showed this, at this
	 * place. Not has_past: it is billed only for time from now on.
	 */
	bool has_past;
	int64_t past_since_ns;
	uintptr_t past_pc;

	/*
	 * Takes CPU time that no tick will bring, because a thread or the process ends. Below 0 if
	 * more was billed than was used. `pc` is the last known place of the thread, 0 if there is
	 * none; thread NULL: threads that were never seen, to be placed where any other was.
	 * Returns the time that it could not place. Under the lock, while no handler uses the sink,
	 * or on the thread itself. NULL: take() gets the whole ticks of it.
	 */
	int64_t (*settle)(struct sink *sink, struct thread *thread, int64_t ns, uintptr_t pc);

	/*
	 * Called when the process ends or becomes another program, with the CPU time that could not
	 * be placed. May be called again, for time used since. NULL: nothing.
	 */
	void (*ended)(struct sink *sink, int64_t unplaced_ns);

	/* Called in that child, before anything is counted. NULL: nothing. */
	void (*forked)(struct sink *sink);

	/*
	 * Called when the calling thread is about to exec; it may be the child of a vfork. NULL:
	 * nothing.
	 */
	void (*before_exec)(struct sink *sink);

	/* Called now and then, under the lock, in a signal handler. NULL: nothing. */
	void (*chore)(struct sink *sink);
};

#endif
