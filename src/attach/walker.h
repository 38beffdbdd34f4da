/* SPDX-License-Identifier: MIT
 *
 * walker.h - walks stacks of another process, from registers and a copy of what is above the stack
 * pointer. What was not copied is read from the process while it goes on, which is believed only as
 * far as it fits to the copy.
 */
#ifndef DWELL_ATTACH_WALKER_H
#define DWELL_ATTACH_WALKER_H

#include "attach/images.h"
#include "recording/format.h"
#include "unwind/unwind.h"

/* Executable memory of the process. */
struct walker_code {
	uint64_t start, end, offset;
	const struct image *image; /* NULL: it is of no file */
};

/* Starts as all zeroes. */
struct walker {
	struct objects objects;
	struct cache cache;
	void *tables, *cache_memory;
	size_t capacity; /* of the tables, in mappings */
};

struct walker_stack {
	struct registers registers;
	const char *copy; /* what is at the stack pointer and above; NULL: nothing */
	size_t copy_bytes;
	bool is_cut; /* there is more above it */
};

struct walker_frames {
	uintptr_t pcs[UNWIND_DEPTH];
	uint32_t depth, certain;
	enum record_stack_end end;
};

/* The code has changed; it is needed for the call only. 0 or -ENOMEM. */
int walker_publish(struct walker *walker, const struct walker_code *code, size_t count);

/* From the first walker_publish() on. */
void walker_walk(struct walker *walker, pid_t pid, const struct walker_stack *stack,
		 struct walker_frames *frames);

void walker_free(struct walker *walker);

#endif
