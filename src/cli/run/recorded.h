/* SPDX-License-Identifier: MIT
 *
 * recorded.h - finds the recording of a process, given the process itself or the dwell that records
 * it.
 *
 * A process that is recorded from inside has the recording mapped; dwell has it open; and one that
 * is recorded from outside is named in the recording of a dwell. Only recordings of the caller's
 * own processes are found, unless the caller is root; and a file that belongs to neither of them is
 * left alone.
 */
#ifndef DWELL_CLI_RUN_RECORDED_H
#define DWELL_CLI_RUN_RECORDED_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct recorded {
	char *path;
	int fd;             /* for reading and writing */
	bool is_unpausable; /* calls are counted in it, which do not look at RECORD_PAUSED */
};

/* Returns 0 or -errno. On success, free with recorded_close(). */
int recorded_find(struct recorded *recorded, pid_t pid, struct err *err);
void recorded_close(struct recorded *recorded);

#endif
