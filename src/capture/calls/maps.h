/* SPDX-License-Identifier: MIT
 *
 * maps.h - reads /proc/self/maps, a line at a time. One reader at a time: its buffer is shared,
 * because nobody may have much on a stack that is not his own.
 */
#ifndef DWELL_CAPTURE_MAPS_H
#define DWELL_CAPTURE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps {
	int fd;
	size_t next, end; /* of what is in the buffer */
};

struct mapping {
	uintptr_t start, end;
	bool is_stack; /* of the first thread */
};

/* 0 or -errno; maps_close() is due if 0. */
int maps_open(struct maps *maps);
bool maps_next(struct maps *maps, struct mapping *mapping);
void maps_close(struct maps *maps);

#endif
