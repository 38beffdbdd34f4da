/* SPDX-License-Identifier: MIT
 *
 * top.h - dwell top while it runs: reads the recording again and again, and shows it on a screen or
 * as plain tables. It is the watcher of a session: see session.h.
 */
#ifndef DWELL_CLI_TOP_TOP_H
#define DWELL_CLI_TOP_TOP_H

#include "cli/run/session.h"
#include "top_output.h"
#include "top_text.h"

struct top_options {
	double delay_s, window_s;
	uint32_t hz;
	bool is_batch;
	uint64_t tables; /* number of tables in batch mode; 0: unlimited */
	size_t limit;    /* rows per table in batch mode */
	enum live_by by;
	enum live_sort sort;
	const char *filter;
	bool keep; /* the recording is kept */
	bool mangled, no_inline, long_names;
	bool is_wall;        /* threads that wait are sampled as well */
	const char *log;     /* file for the command's output; NULL: a key shows it */
	const char *subject; /* the command or the processes; NULL: as in /proc */
	bool is_command;     /* which is started and ended by us */
};

struct top {
	struct top_options options;
	struct top_state state;
	struct top_output output;
	struct live live;
	struct live_rows rows;
	bool is_live, has_screen;
	struct session_view view;
	pid_t group;        /* of the command; 0: none, or it has exited */
	double refreshed_s; /* last look at the recording, on CLOCK_MONOTONIC */
	double asked_s;     /* when the command was asked to exit; 0: it was not */
	unsigned looks;
	uint64_t tables; /* shown so far */
	uint64_t lost;
	bool is_full;
	char subject[256];
	char news[sizeof(((struct err *)0)->text)]; /* "" unless something happened */
	int failed;                                 /* -errno of a failure while running */
};

/* Returns 0 or -errno. Release with top_fini() in either case. */
int top_init(struct top *top, const struct top_options *options, struct err *err);
void top_fini(struct top *top);

/* For session.h; the argument is a struct top. */
extern const struct session_watcher top_watcher;

/* Returns the signal that made us leave, or 0. */
int top_signal(void);

#endif
