/* SPDX-License-Identifier: MIT
 *
 * session.h - a command is run and recorded, and what was recorded is shown at the end: what verbs
 * that record have in common.
 */
#ifndef DWELL_CLI_RUN_SESSION_H
#define DWELL_CLI_RUN_SESSION_H

#include "injection.h"
#include "cli/report/report.h"
#include "recording/make/create.h"

enum session_show { SESSION_NOTHING, SESSION_LINE, SESSION_TABLES };

/* From where the command is sampled. */
enum session_engine {
	SESSION_EITHER, /* from inside, if our libraries can be loaded into it */
	SESSION_INSIDE,
	SESSION_OUTSIDE,
};

/* How calls of the command are got between. */
enum session_via {
	SESSION_VIA_EITHER, /* by an auditor, if its linker knows such */
	SESSION_VIA_AUDIT,
	SESSION_VIA_GOT,
};

/* What is being recorded, for who looks on. */
struct session_view {
	const char *path;            /* of the recording */
	pid_t pid;                   /* of the command, or of the first process */
	const struct attach *attach; /* NULL: it is recorded from inside */
};

/* Somebody who looks on meanwhile, and shows it in a way of his own. Signals that are sent to us
 * are his. */
struct session_watcher {
	/* In the child, before it becomes the command: 0 or -errno. */
	int (*prepare)(void *argument);
	/* All is ready. 0 or -errno. */
	int (*begin)(void *argument, const struct session_view *view, struct err *err);
	/* Again and again; may wait so long. False: he has seen enough, and has seen to it that a
	 * command ends. */
	bool (*look)(void *argument, int timeout_ms);
	/* There will be no more; status is what wait() said, 0 for processes that ran already. */
	void (*end)(void *argument, int status);
	void *argument;
};

struct session {
	const char *verb; /* for what is said on stderr */
	char **command;
	const char *emulator;         /* that runs it if it is for another CPU; NULL: none */
	const char *data;             /* where to record to */
	struct create_options create; /* but for the command */
	unsigned inject;              /* enum injection_part, but for the auditor */
	enum session_via via;         /* of calls */
	enum session_engine engine;
	uint32_t blocked_hz; /* so often a second, look at threads that wait; 0: never */
	bool run_anyway;     /* also if it cannot be recorded */
	enum session_show show;
	struct report_options report;
	const struct session_watcher *watcher; /* NULL: there is none */
	bool is_temporary;                     /* the recording is removed at the end */
};

/* What verbs have in common: 0 or the exit status, after a sentence on stderr. */
int session_take_via(enum session_via *via, const char *verb, const char *value);

/* Answers the exit status: the command's, if that was run. */
int session_run(const struct session *session);

#endif
