/* SPDX-License-Identifier: MIT
 *
 * sink.h - where ticks go: the histogram of profil(), the regions of sprofil(), the array of
 * pcsample().
 */
#ifndef DWELL_RUNTIME_SAMPLER_SINK_H
#define DWELL_RUNTIME_SAMPLER_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct thread;

enum sink_answer {
	SINK_COUNTED,
	SINK_OUTSIDE, /* fine, but the pc belongs to no counter */
	SINK_DONE     /* full, or its memory is gone: it takes no more, profiling is over */
};

/* Ticks at one place. */
struct sink_ticks {
	uintptr_t pc;
	uint64_t weight;       /* how many */
	struct thread *thread; /* whose; NULL: the process's as a whole */
	const ucontext_t
		*uc; /* of the interrupted code; NULL: nobody was interrupted, the time is past */
	bool is_coarse; /* the kernel's own tick brought them */
};

struct sink {
	/* Runs in the signal handler, on any thread, several at once; or under the lock, for the
	 * past. */
	enum sink_answer (*take)(struct sink *sink, const struct sink_ticks *ticks);

	/* Whether the child of a fork goes on counting, in its own copy of the memory. */
	bool follows_fork;

	/* The process is one of many, of which most may be shorter than a tick: its first tick
	 * comes at a random time, so that all together get their due. */
	bool is_one_of_many;

	/* take() may last as long as a tick: threads for which it does are to tick less often, lest
	 * nothing be left to the program. */
	bool is_governed;

	/* The thread that starts is billed for what it has used since its CPU clock showed this;
	 * and where that was. Not has_past: only for what it uses from now on. */
	bool has_past;
	int64_t past_since_ns;
	uintptr_t past_pc;

	/*
	 * CPU time that no tick will bring: a thread ends, or the process does. Below 0 if more was
	 * billed than was used. `pc` is where the thread was last seen, 0 if it never was; thread
	 * NULL: of threads that were never seen, for a place where any other was. Returns what it
	 * could not place. Under the lock, while no handler uses the sink, or on the thread itself.
	 * NULL: take() gets the whole ticks of it.
	 */
	int64_t (*settle)(struct sink *sink, struct thread *thread, int64_t ns, uintptr_t pc);

	/* The process ends or becomes another program, and so much of its CPU time could not be
	 * placed. May be called again, for what was used since. NULL: nothing. */
	void (*ended)(struct sink *sink, int64_t unplaced_ns);

	/* In that child, before anything is counted. NULL: there is nothing to be done. */
	void (*forked)(struct sink *sink);

	/* The calling thread is about to exec; it may be the child of a vfork. NULL: nothing. */
	void (*before_exec)(struct sink *sink);

	/* Once in a while, under the lock, in a signal handler. NULL: nothing. */
	void (*chore)(struct sink *sink);
};

#endif
