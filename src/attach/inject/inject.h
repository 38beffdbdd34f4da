/* SPDX-License-Identifier: MIT
 *
 * inject.h - counts calls in a running process: loads the runtime of `dwell calls` into it, lets it
 * rewrite the process's tables, and takes all of that back.
 *
 *	inject_check()	may it be done, and can it work?
 *	inject_begin()	from now on calls are counted in the recording
 *	inject_end()	everything is as before; the library stays, dormant
 *
 * All of them may be called by any process that may trace the target; nothing is kept between them,
 * so that inject_end() works for one whose tool has died. Errors are one sentence.
 */
#ifndef DWELL_ATTACH_INJECT_INJECT_H
#define DWELL_ATTACH_INJECT_INJECT_H

#include <stdint.h>
#include <sys/types.h>

#include "attach/calls_entry.h"
#include "base/err.h"

/* The name of a recording that has no file: memfd_create(2). */
#define INJECT_MEMORY_NAME "dwell-calls"

/* Checks the process. library: path of the runtime. */
int inject_check(pid_t pid, const char *library, struct err *err);

/* Ends what a dwell that has died has begun; fails if one is alive. */
int inject_free(pid_t pid, const char *library, struct err *err);

/* recording: a descriptor of memory that cannot be truncated, with the head of a recording.
 * entry: of the process in it. */
int inject_begin(pid_t pid, const char *library, int recording, struct calls_entry *entry,
		 struct err *err);

/* Returns 0 also if there is nothing to end, or the process has ended. */
int inject_end(pid_t pid, const char *library, struct err *err);

#endif
