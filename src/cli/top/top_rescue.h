/* SPDX-License-Identifier: MIT
 *
 * top_rescue.h - cleans up if dwell top crashes: the terminal, the command that it has started, and
 * its temporary files. Uses system calls only, because nothing else can be relied on.
 */
#ifndef DWELL_CLI_TOP_TOP_RESCUE_H
#define DWELL_CLI_TOP_TOP_RESCUE_H

#include <stddef.h>
#include <sys/types.h>

/* From now on, a crash restores what is registered below, and then ends the process as usual. */
void top_rescue_arm(void);

/* Registers the terminal: its current modes, and the bytes that restore the rest. */
void top_rescue_terminal(int fd, const char *bytes, size_t size);
void top_rescue_terminal_done(void);

/* Registers a process group to be killed; 0: none. */
void top_rescue_group(pid_t group);

/* Registers a file and its directory to be removed; NULL: none. Both strings must stay valid. */
void top_rescue_file(const char *file, const char *folder);

#endif
