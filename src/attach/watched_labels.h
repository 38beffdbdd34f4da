/* SPDX-License-Identifier: MIT
 *
 * watched_labels.h - labels of a watched process: its cgroup, and its container.
 */
#ifndef DWELL_ATTACH_WATCHED_LABELS_H
#define DWELL_ATTACH_WATCHED_LABELS_H

#include <sys/types.h>

#include "recording/write/room.h"

/* Writes them into the process's part of the recording; cgroup: the directory that is recorded. */
void watched_labels_write(struct room *names, pid_t pid, const char *cgroup);

#endif
