/* SPDX-License-Identifier: MIT
 *
 * session.h - runs and records a command, and shows the recording at the end: shared by verbs that
 * record.
 */
#ifndef DWELL_CLI_RUN_SESSION_H
#define DWELL_CLI_RUN_SESSION_H

#include "injection.h"
#include "pieces.h"
#include "switching.h"
#include "cli/report/report.h"
#include "recording/make/create.h"

enum session_show { SESSION_NOTHING, SESSION_LINE, SESSION_TABLES };

/* Where the command is sampled from. */
enum session_engine {
	SESSION_EITHER, /* from inside, if our libraries can be loaded into it */
	SESSION_INSIDE,
	SESSION_OUTSIDE,
};

/* How calls of the command are intercepted. */
enum session_via {
	SESSION_VIA_EITHER, /* by an auditor, if its linker supports that */
	SESSION_VIA_AUDIT,
	SESSION_VIA_GOT,
	SESSION_VIA_ENTRY,
};

/* The recording in progress, for a watcher. */
struct session_view {
	const char *path;            /* of the recording */
	pid_t pid;                   /* of the command, or of the first process */
	const struct attach *attach; /* NULL: it is recorded from inside */
};

/* Shows a session in its own way while it runs, and handles signals. */
struct session_watcher {
	/* Runs in the child before exec. Returns 0 or -errno. */
	int (*prepare)(void *argument);
	/* Everything is ready. Returns 0 or -errno. */
	int (*begin)(void *argument, const struct session_view *view, struct err *err);
	/* Called again and again; may wait that long. Returns false when it is done; it has then
	 * ended the command itself. */
	bool (*look)(void *argument, int timeout_ms);
	/* The session is over. status: as of wait(), or 0 for processes that ran already. */
	void (*end)(void *argument, int status);
	void *argument;
};

struct session {
	const char *verb; /* for messages */
	char **command;
	const char *emulator;         /* runs it if it is for another CPU; NULL: none */
	const char *data;             /* path of the recording */
	struct create_options create; /* all but the command */
	unsigned inject;              /* enum injection_part, without the auditor */
	enum session_via via;         /* of calls */
	enum session_engine engine;
	uint32_t blocked_hz; /* looks per second at waiting threads; 0: none */
	bool run_anyway;     /* even if it cannot be recorded */
	enum session_show show;
	struct report_options report;
	const struct session_watcher *watcher; /* NULL: none */
	struct pieces *pieces;                 /* NULL: the recording stays one file */
	struct switching switching;
	bool is_temporary; /* the recording is removed at the end */
};

/* Parses an option that several verbs share. Returns 0, or the exit status after an error message
 * on stderr. */
int session_take_via(enum session_via *via, const char *verb, const char *value);

/* Returns the exit status: the command's, if it was run. */
int session_run(const struct session *session);

#endif
