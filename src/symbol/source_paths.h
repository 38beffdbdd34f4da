/* SPDX-License-Identifier: MIT
 *
 * source_paths.h - the paths of source files, each once, without the "." and ".." that compilers
 * leave in them: "/build/../src/main.c" is "/src/main.c". Works on text alone, since the files may
 * be on another machine.
 */
#ifndef DWELL_SYMBOL_SOURCE_PATHS_H
#define DWELL_SYMBOL_SOURCE_PATHS_H

#include <stddef.h>

#include "base/hash.h"

/* Starts as all zeroes. */
struct source_paths {
	char **list;
	size_t count;
	struct hash by_pointer; /* text looked up -> index in the list */
	struct hash by_text;
};

/* Returns the path of a text, which must not change and must outlive the list. A relative one is
 * relative to folder, which is always the same for a text; NULL: unknown. Equal paths have equal
 * pointers. NULL: no memory. */
const char *source_paths_find(struct source_paths *paths, const char *folder, const char *text);

void source_paths_free(struct source_paths *paths);

#endif
