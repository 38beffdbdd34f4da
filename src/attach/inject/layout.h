/* SPDX-License-Identifier: MIT
 *
 * layout.h - the code that a process has mapped: which object an address belongs to, the exported
 * function that contains it, and the callers of a stopped thread.
 */
#ifndef DWELL_ATTACH_INJECT_LAYOUT_H
#define DWELL_ATTACH_INJECT_LAYOUT_H

#include "attach/inject/remote.h"
#include "attach/walker.h"

enum layout_kind {
	LAYOUT_OTHER,
	LAYOUT_LIBC,     /* glibc, without its linker */
	LAYOUT_LINKER,   /* glibc's */
	LAYOUT_RUNTIME,  /* libdwell-calls.so */
	LAYOUT_ISLAND,   /* of the runtime: entry/island.h */
	LAYOUT_RECORDER, /* libdwell-record.so */
	LAYOUT_MUSL,     /* another libc, with its linker */
	LAYOUT_VDSO,
};

/* An executable mapping. */
struct layout_code {
	uint64_t start, end, offset;
	uint64_t inode;
	char *path;
	enum layout_kind kind;
	bool allocates; /* it is not libc, and exports malloc() */
	uintptr_t bias;
	const struct target_image *image; /* NULL: not of a file */
};

/* Starts as all zeroes. */
struct layout {
	pid_t pid;
	struct layout_code *codes;
	size_t count;
	struct images images;
	struct walker walker;
	bool has_tid;
	intptr_t tid_at;            /* where libc has a thread's number, from the thread pointer */
	uintptr_t stubs, stubs_end; /* of the runtime, if it is there; set by the caller */
};

/* Reads what is mapped now. Returns 0 or -errno. Free with layout_free(), also before it is read
 * again. */
int layout_read(struct layout *layout, pid_t pid);
void layout_free(struct layout *layout);

/* Returns the first mapping of that kind, or the one of an address; NULL: there is none. */
const struct layout_code *layout_first(const struct layout *layout, enum layout_kind kind);
const struct layout_code *layout_at(const struct layout *layout, uintptr_t address);

/* Returns whether the address is in the runtime's code, other than its stubs, or in an island. */
bool layout_is_inside(const struct layout *layout, uintptr_t address);

/* Returns the address of a function or variable that objects of that kind export; 0: none does. */
uintptr_t layout_symbol(const struct layout *layout, enum layout_kind kind, const char *name);

/* Copies the name of the exported function that contains the address; "" if there is none. */
void layout_name(const struct layout_code *code, uintptr_t address, char *name, size_t size);

/* Finds code in libc and the vdso that calls need. Returns 0 or -ENOEXEC. */
int layout_remote_code(const struct layout *layout, struct remote_code *code);

/* The registers of a stopped thread, by their DWARF numbers, and the words at its stack pointer and
 * above. */
struct layout_stack {
	uintptr_t registers[ARCH_FRAME_REGISTERS];
	uintptr_t sp, *words;
	size_t count;
};

/* Copies the stack of a stopped thread, whose registers were read. Free `words`. */
void layout_copy(const struct layout *layout, const struct remote *remote,
		 struct layout_stack *stack);

/* Walks a copy. */
void layout_walk_copy(struct layout *layout, const struct layout_stack *from,
		      struct walker_frames *frames);

/* Walks the stack of a stopped thread, whose registers were read. */
void layout_walk(struct layout *layout, const struct remote *remote, struct walker_frames *frames);

#endif
