/* SPDX-License-Identifier: MIT
 *
 * top_rescue.h - what has to be put right if dwell top crashes: the terminal, the command that it
 * has started, and its temporary files. By system calls alone, since nothing else can be relied on.
 */
#ifndef DWELL_CLI_TOP_TOP_RESCUE_H
#define DWELL_CLI_TOP_TOP_RESCUE_H

#include <stddef.h>
#include <sys/types.h>

/* From now on, signals of a crash put right what is known below, and then end us as they would have
 * done. */
void top_rescue_arm(void);

/* The terminal is as it should be left: its modes now, and the bytes that bring the rest about. */
void top_rescue_terminal(int fd, const char *bytes, size_t size);
void top_rescue_terminal_done(void);

/* A process group to be ended; 0: none. */
void top_rescue_group(pid_t group);

/* A file in a folder of its own, both to be removed; NULL: none. They must stay. */
void top_rescue_file(const char *file, const char *folder);

#endif
