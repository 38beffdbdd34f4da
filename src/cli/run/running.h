/* SPDX-License-Identifier: MIT
 *
 * running.h - counts calls in processes that run already, and samples them meanwhile if the
 * session wants that.
 */
#ifndef DWELL_CLI_RUN_RUNNING_H
#define DWELL_CLI_RUN_RUNNING_H

#include "sampling.h"
#include "session.h"

/* Counts calls for that many seconds (0: until the processes exit) or until the user stops it,
 * takes everything back and shows the result. Returns the exit status. */
int running_count(const struct session *session, const struct sampling_pids *pids, double seconds);

#endif
