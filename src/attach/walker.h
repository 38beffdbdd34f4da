/* SPDX-License-Identifier: MIT
 *
 * walker.h - walks stacks of another process, from registers and a copy of the memory above the
 * stack pointer. Memory that was not copied is read from the process while it runs, which is
 * trusted only as far as it matches the copy.
 */
#ifndef DWELL_ATTACH_WALKER_H
#define DWELL_ATTACH_WALKER_H

#include "attach/images.h"
#include "recording/format.h"
#include "unwind/unwind.h"

/* Executable memory of the process. */
struct walker_code {
	uint64_t start, end, offset;
	const struct target_image *image; /* NULL: not of a file */
};

/* Starts as all zeroes. */
struct walker {
	struct objects objects;
	struct cache cache;
	void *tables, *cache_memory;
	size_t capacity;          /* of the tables, in mappings */
	struct unwind_kept *kept; /* receives registers of the next walk; NULL: not wanted */
	struct unwind_made *made; /* steps through code made at run time; NULL: none */
};

/* A word of the process's memory, as it was when the sample was taken. */
struct walker_word {
	uintptr_t address, value;
};

#define WALKER_WORDS 4

struct walker_stack {
	struct registers registers;
	const char *copy; /* memory at the stack pointer and above; NULL: none */
	size_t copy_bytes;
	bool is_cut; /* the stack continues above it */
	struct walker_word words[WALKER_WORDS];
	size_t word_count;
};

struct walker_frames {
	uint64_t pcs[UNWIND_DEPTH];
	uintptr_t sps[UNWIND_DEPTH]; /* the stack pointer of each */
	uint32_t depth, certain;
	enum record_stack_end end;
	/* Above them: addresses in the kernel, the innermost first, and marks; of the event. */
	const uint64_t *kernel;
	size_t kernel_count;
};

/* Replaces the code, which is needed for the call only. Returns 0 or -ENOMEM. */
int walker_publish(struct walker *walker, const struct walker_code *code, size_t count);

/* Walks a stack; after the first walker_publish(). */
void walker_walk(struct walker *walker, pid_t pid, const struct walker_stack *stack,
		 struct walker_frames *frames);

void walker_free(struct walker *walker);

#endif
