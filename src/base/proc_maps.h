/* SPDX-License-Identifier: MIT
 *
 * proc_maps.h - reads /proc/PID/maps, a line at a time, into memory of the caller's: code that runs
 * on a stack of the program's must not have much on it. Async-signal-safe.
 */
#ifndef DWELL_BASE_PROC_MAPS_H
#define DWELL_BASE_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROC_MAPS_SELF "/proc/self/maps"

/* The memory is set by the caller, the rest by proc_maps_open(). */
struct proc_maps {
	char *buffer; /* of any size */
	size_t size;
	char *path; /* of the line that was read last */
	size_t path_size;
	int fd;
	size_t next, end; /* of what is in the buffer */
};

/* A line. */
struct proc_map {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint64_t inode;  /* 0: not a file */
	bool is_executable;
	const char *path; /* cut if it is too long; "" if there is none */
};

/* Returns 0 or -errno. Close with proc_maps_close() if 0. */
int proc_maps_open(struct proc_maps *maps, const char *file);
void proc_maps_close(struct proc_maps *maps);

/* Returns false at the end. The path of the line is valid until the next one is read. */
bool proc_maps_next(struct proc_maps *maps, struct proc_map *map);

#endif
