/* SPDX-License-Identifier: MIT
 *
 * source_text.h - the lines of a source file, if it is on this machine: where it was compiled, or
 * below a directory that the user names. A path may be relative, since some programs contain no
 * other; it is relative to our working directory.
 */
#ifndef DWELL_MODEL_ANNOTATE_SOURCE_TEXT_H
#define DWELL_MODEL_ANNOTATE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Directories to search. Starts as all zeroes; the caller owns the texts. */
struct source_folders {
	const char **list;
	size_t count;
	/* Search nowhere else. Paths in an archive are untrusted, unlike a compiler's: a page made
	 * from it must not include arbitrary files of ours. */
	bool nowhere_else;
};

/* Adds one, which must stay valid; free the list with free(). Returns 0 or -ENOMEM. */
int source_folders_add(struct source_folders *folders, const char *folder);

/* Starts as all zeroes, which is a file without lines. */
struct source_text {
	char *path;   /* where it was found */
	char *bytes;  /* with '\0' in place of newlines */
	char **lines; /* into the bytes */
	size_t count;
	const char *asked; /* the path that source_text_switch() was called with */
};

/* Opens the file of a path; or the longest end of the path that exists below one of the folders,
 * which are tried first. Returns 0, then free with source_text_close(); -ENOENT or -ENOMEM. */
int source_text_open(struct source_text *text, const char *path,
		     const struct source_folders *folders);
void source_text_close(struct source_text *text);

/* Closes the file and opens another one, unless it is the same by its pointer. NULL, or a file that
 * is missing, has no lines. Returns 0 or -ENOMEM. */
int source_text_switch(struct source_text *text, const char *path,
		       const struct source_folders *folders);

/* Returns a line, counted from 1; NULL: none. */
const char *source_text_line(const struct source_text *text, uint32_t number);

#endif
