/* SPDX-License-Identifier: MIT
 *
 * outside.h - records processes from outside: a command that no library can be loaded into, or
 * running processes.
 */
#ifndef DWELL_CLI_RUN_OUTSIDE_H
#define DWELL_CLI_RUN_OUTSIDE_H

#include "attach/attach.h"
#include "session.h"

/* The timeout of one wait for samples. */
#define OUTSIDE_PUMP_MS 50

/* The processes to sample. */
struct outside_targets {
	const pid_t *pids;
	size_t count;
	const char *cgroup;                /* the directory of one; NULL: none */
	bool at_exec;                      /* they are about to exec */
	const struct calls_shared *shared; /* NULL: their calls are not counted */
};

/* Starts sampling processes with the options of the session; path: of the recording. On success,
 * close it with attach_close(). */
int outside_open(struct attach **attach, const struct session *session, const char *path,
		 const struct outside_targets *targets, struct err *err);

/* Notes that a program is a 32-bit one, of whose samples less is known than from inside. */
void outside_note_narrow(const struct session *session, const char *path);

/* Samples for that many seconds (0: until the processes exit) or until the user stops it. */
void outside_pump(const struct session *session, struct attach *attach, double seconds);

/* Prints a summary of the samples in one line. */
void outside_show(const struct session *session, const struct reader *reader);

/* Cuts a piece if it is time for one. attach: by which the recording is written; NULL: it is
 * written by its targets. */
void outside_cut(struct pieces *pieces, struct attach *attach);

/* Records running processes for that many seconds (0: until they exit) or until the user stops it.
 * Returns the exit status. */
int outside_watch(const struct session *session, const pid_t *pids, size_t count, double seconds);

/* Records all processes of a cgroup in the same way, until it is removed. */
int outside_watch_cgroup(const struct session *session, const char *name, double seconds);

/* Catches the signals by which the user ends a recording of running processes; the second returns
 * whether one has come. */
void outside_listen(void);
bool outside_is_enough(void);

/* Returns the time in seconds since some moment. */
double outside_seconds(void);

/* Splits the command line of a process, which is read from /proc into `text`, into words. */
char **outside_command(pid_t pid, char *text, size_t size, char *words[], size_t room);

#endif
