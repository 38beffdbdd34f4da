/* SPDX-License-Identifier: MIT
 *
 * maps.h - reads /proc/self/maps, a line at a time, into memory of the caller's: nobody may have
 * much on a stack that is not his own. Async-signal-safe.
 */
#ifndef DWELL_RUNTIME_PROCESS_MAPS_H
#define DWELL_RUNTIME_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps {
	int fd;
	char *buffer;
	size_t size;
	size_t next, end; /* of what is in the buffer */
};

/* A line. */
struct maps_entry {
	uintptr_t start, end;
	uint64_t offset; /* in the file */
	uint64_t inode;  /* 0: it is no file */
	bool is_executable;
	char *name;       /* the caller's; cut if it is too long; "" if there is none */
	size_t name_size; /* with its final 0 */
};

/* 0 or -errno; maps_close() is due if 0. */
int maps_open(struct maps *maps, char *buffer, size_t size);
bool maps_next(struct maps *maps, struct maps_entry *entry);
void maps_close(struct maps *maps);

#endif
