/* SPDX-License-Identifier: MIT
 *
 * family.h - processes and all that they have started. A server is often a process that only
 * supervises its workers, and users give its number.
 */
#ifndef DWELL_ATTACH_FAMILY_H
#define DWELL_ATTACH_FAMILY_H

#include <stddef.h>
#include <sys/types.h>

/* Returns these processes, as given, then their children and descendants, if alive, without
 * ourselves. Free with free(). Returns 0 or -ENOMEM. */
int family_of(const pid_t *pids, size_t count, pid_t **family, size_t *family_count);

#endif
