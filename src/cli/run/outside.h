/* SPDX-License-Identifier: MIT
 *
 * outside.h - records processes from outside: a command that nothing can be loaded into, or
 * processes that run already.
 */
#ifndef DWELL_CLI_RUN_OUTSIDE_H
#define DWELL_CLI_RUN_OUTSIDE_H

#include "attach/attach.h"
#include "session.h"

/* So long we wait for samples at once. */
#define OUTSIDE_PUMP_MS 50

/* Begins to sample processes as the session says; at_exec: they are about to exec. On success,
 * attach_close() is due. */
int outside_open(struct attach **attach, const struct session *session,
		 const struct creation *creation, const pid_t *pids, size_t count, bool at_exec,
		 struct err *err);

/* Records processes that run, for so many seconds (0: until they end), or until the user has had
 * enough. Answers the exit status. */
int outside_watch(const struct session *session, const pid_t *pids, size_t count, double seconds);

#endif
