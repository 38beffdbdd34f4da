/* SPDX-License-Identifier: MIT
 *
 * got_objects.h - the objects whose tables got.c walks, and what the linker would find for a symbol
 * of one of them.
 */
#ifndef DWELL_RUNTIME_CALLS_GOT_OBJECTS_H
#define DWELL_RUNTIME_CALLS_GOT_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "image.h"
#include "runtime.h"
#include "symbolic.h"

/* An entry of a table that was rewritten. */
struct patch {
	void **place;
	void *before, *after;
};

/* An object of the linker's list. The image points into the object's own memory, which is certainly
 * mapped only while the linker's list is walked, or while the object is held open. */
struct walked {
	struct walked *next;
	struct image image;
	enum symbolic symbolic;
	char *path;
	uintptr_t bias;
	uint32_t id;
	bool is_caller;        /* its calls are observed */
	bool is_ours;          /* or the dynamic linker's, or an unwinder's: left alone */
	bool is_early;         /* loaded with the program */
	bool is_deep;          /* opened with RTLD_DEEPBIND */
	bool is_walked;        /* its tables have been walked */
	bool seen;             /* in the current walk */
	bool is_runtime;       /* this library */
	struct patch *patches; /* what to take back, if this library was loaded late */
	size_t patch_count;
	struct runtime_island island; /* --via entry; all 0: none */
};

/* In the order in which the linker has loaded them; got.c has the lock. */
extern __attribute__((visibility("hidden"))) struct walked *got_objects;

bool got_object_is_named(const struct walked *object, const char *soname);

/* Finds an object by its soname, while the linker's list is walked. */
struct walked *got_object_named(const char *soname);

/* Returns the object that contains the address, or that the linker has this map for. NULL: none. */
struct walked *got_object_at(uintptr_t address);
struct walked *got_object_of(const struct link_map *map);

/* Returns the path of an object's file; free it. The vdso has none; only some linkers use its
 * soname. NULL: there is no memory. */
char *got_object_path(const struct link_map *map, const struct image *image);

void got_object_free(struct walked *object);

/* Notes that an entry of its tables is about to be rewritten. Returns false without memory. */
bool got_object_keep(struct walked *object, void **place, void *after);

/* Puts back the entries that are still as we have written them. */
void got_object_restore(struct walked *object);

/* Returns the target of an entry. One that the linker has not filled yet leads back into the
 * object, to the PLT; NULL: the linker would find nothing, or what it finds is uncertain. */
void *got_target_of(struct walked *object, size_t symbol, void *stored, const char *name);

/* Marks the objects that were loaded with the program, in one that runs already, and makes
 * got_target_of() certain about the others. */
void got_objects_are_late(void);

#endif
