/* SPDX-License-Identifier: MIT
 *
 * opening.h - opens the recording without an auditor: at the start of the program, or while it
 * runs.
 */
#ifndef DWELL_RUNTIME_CALLS_OPENING_H
#define DWELL_RUNTIME_CALLS_OPENING_H

/* Reads the choice from the recording, opens it, and makes the process's entry. data: its path,
 * which must stay valid; NULL: it has none, and fd is its descriptor. Returns 0 or -errno. */
int opening(const char *data, int fd);

/* Sees to it that calls are only counted where they cannot be timed. After opening(), or after the
 * auditor has done that. */
void opening_check_time(void);

#endif
