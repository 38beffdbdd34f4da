/* SPDX-License-Identifier: MIT
 *
 * top.h - dwell top while it runs: looks at the recording again and again, and shows what it says,
 * on a screen or as plain tables. It watches a session: see session.h.
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
	uint64_t tables; /* of a batch, after which it ends; 0: as many as there are */
	size_t limit;    /* rows of a table of a batch */
	enum live_by by;
	enum live_sort sort;
	const char *filter;
	bool keep; /* the recording */
	bool mangled;
	const char *log;     /* where the command's output goes; NULL: it is shown by a key */
	const char *subject; /* the command, or the processes; NULL: as the kernel calls it */
	bool is_command;     /* that is started, and ended */
};

struct top {
	struct top_options options;
	struct top_state state;
	struct top_output output;
	struct live live;
	struct live_rows rows;
	bool is_live, has_screen;
	struct session_view view;
	pid_t group;        /* of the command; 0: there is none, or it has ended */
	double refreshed_s; /* when it last looked at the recording, on CLOCK_MONOTONIC */
	double asked_s;     /* when the command was asked to end; 0: it was not */
	unsigned looks;
	uint64_t tables; /* shown so far */
	uint64_t lost;
	bool is_full;
	char subject[256];
	char news[sizeof(((struct err *)0)->text)]; /* "" as long as all is as usual */
	int failed; /* -errno of what went wrong while it was running */
};

/* 0 or -errno. On success and failure, top_fini() is due. */
int top_init(struct top *top, const struct top_options *options, struct err *err);
void top_fini(struct top *top);

/* For session.h; the argument is a struct top. */
extern const struct session_watcher top_watcher;

/* The signal that has made us leave; 0: none. */
int top_signal(void);

#endif
