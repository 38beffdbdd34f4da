/* SPDX-License-Identifier: MIT
 *
 * entry_patch.h - patches the entries of the chosen functions of an object, for --via entry. No
 * thread may be in the bytes that change: the linker has mapped the object and has not initialised
 * it; or there is one thread, which is here; or the changes are left to the tool.
 */
#ifndef DWELL_RUNTIME_CALLS_ENTRY_PATCH_H
#define DWELL_RUNTIME_CALLS_ENTRY_PATCH_H

#include <stdbool.h>

#include "base/injected.h"
#include "image.h"
#include "runtime.h"

/* The functions of the runtime, by address. */
struct entry_runtime {
	/* Notes a change for the tool; false: there is no memory. NULL: changes are made here. */
	bool (*defer)(const struct injected_change *);
	void *(*bind)(const struct runtime_function *);
	bool (*add_island)(const struct runtime_island *);
	void (*lose)(uint32_t functions);
	const struct image *image; /* its own calls are not the program's */
	uint64_t counting;         /* see dwell_calls_counting() */
};

/* An object to be patched. */
struct entry_object {
	const struct image *image;
	const char *path;
	uint32_t (*id)(void *argument); /* registers it; UINT32_MAX: it cannot be recorded */
	void *argument;
	struct runtime_island island; /* set if it was patched; all 0: it was not */
};

/* Patches what is chosen. Functions that cannot be patched are recorded as such. */
void entry_patch(struct entry_object *object, const struct entry_runtime *runtime);

/* Unmaps an island whose object was closed. */
void entry_unmap(const struct runtime_island *island);

#endif
