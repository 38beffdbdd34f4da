/* SPDX-License-Identifier: MIT
 *
 * family.h - processes and all that they have started. A server is often a process that does
 * nothing but to mind those that do the work, and its number is the one that is known.
 */
#ifndef DWELL_ATTACH_FAMILY_H
#define DWELL_ATTACH_FAMILY_H

#include <stddef.h>
#include <sys/types.h>

/* These processes, as they are given, and then their children, and theirs, of those that live; we
 * are none of them. To be freed. 0 or -ENOMEM. */
int family_of(const pid_t *pids, size_t count, pid_t **family, size_t *family_count);

#endif
