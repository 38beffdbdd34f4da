/* SPDX-License-Identifier: MIT
 *
 * cgroup.h - the processes of a cgroup and of those below it, of version 1 or 2: as the kernel
 * lists them in cgroup.procs.
 */
#ifndef DWELL_ATTACH_CGROUP_H
#define DWELL_ATTACH_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Finds the directory of a cgroup: a path of one, or a path below where cgroups are mounted. The
 * caller frees it. Errors are one sentence. */
int cgroup_find(const char *name, char **path, struct err *err);

/* Lists the processes of a directory and of all below it. Returns 0 or -errno; -ENOENT: the cgroup
 * was removed. Free the list with free(). */
int cgroup_list(const char *path, pid_t **pids, size_t *count);

/* The length of the longest path that is kept, with its final 0. */
#define CGROUP_BYTES 512

/* Reads which cgroup a process is in, by the text of its /proc/PID/cgroup: in the hierarchy of
 * `path`. Returns false if it is in none below that. */
bool cgroup_of(const char *text, const char *path, char cgroup[CGROUP_BYTES]);

/* Digits of a container's number that are shown, as the tools of containers do. */
#define CGROUP_CONTAINER_DIGITS 12

/* Finds the number of a container in the path of its cgroup. Returns false if there is none. */
bool cgroup_container(const char *cgroup, char number[CGROUP_CONTAINER_DIGITS + 1]);

#endif
