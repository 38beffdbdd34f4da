/* SPDX-License-Identifier: MIT
 *
 * got_search.h - the objects that got.c walks, and the search for a symbol in them as the linker
 * would do it. Does not call the linker: that is not allowed before all objects are initialised,
 * nor under a lock. The caller holds the lock of got.c.
 */
#ifndef DWELL_RUNTIME_CALLS_GOT_SEARCH_H
#define DWELL_RUNTIME_CALLS_GOT_SEARCH_H

#include "image.h"
#include "symbolic.h"

/* An object of the linker's list. The image points into the object's own memory, which is certainly
 * mapped only while the linker's list is walked, or while the object is held open. */
struct walked {
	struct walked *next;
	struct image image;
	enum symbolic symbolic;
	char *path;
	uintptr_t bias;
	uint32_t id;
	bool is_caller; /* its calls are observed */
	bool is_ours;   /* or the dynamic linker's, or an unwinder's: left alone */
	bool is_early;  /* loaded with the program */
	bool is_deep;   /* opened with RTLD_DEEPBIND */
	bool is_walked; /* its tables have been walked */
	bool seen;      /* in the current walk */
};

/* Returns whether the object has that soname, or a file of that name. */
bool got_search_is_named(const struct walked *object, const char *soname);

/*
 * Returns what the linker would find for a symbol of the object at its first call, among the
 * objects of the list. NULL: nothing.
 */
void *got_search_first(struct walked *objects, struct walked *object, size_t symbol,
		       const char *name);

#endif
