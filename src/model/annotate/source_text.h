/* SPDX-License-Identifier: MIT
 *
 * source_text.h - the lines of a source file, if it is on this machine: where the program was
 * compiled from, or below a folder that the user names. A path may be relative, since there are
 * programs that keep no other; it is so to where we are.
 */
#ifndef DWELL_MODEL_ANNOTATE_SOURCE_TEXT_H
#define DWELL_MODEL_ANNOTATE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Folders to look in. Starts as all zeroes; the texts are the user's. */
struct source_folders {
	const char **list;
	size_t count;
	/* Nothing else is looked at. Paths out of an archive are somebody's word, not a compiler's:
	 * a page made of it must not carry whatever file of ours he has thought of. */
	bool nowhere_else;
};

/* Adds one, which must stay; the list is to be freed. 0 or -ENOMEM. */
int source_folders_add(struct source_folders *folders, const char *folder);

/* Starts as all zeroes, which is a file without lines. */
struct source_text {
	char *path;   /* where it was found */
	char *bytes;  /* with '\0' in the place of ends of lines */
	char **lines; /* in the bytes */
	size_t count;
};

/* The file of a path; or of as much of its end as there is below one of the folders, which are
 * tried first. 0, and source_text_close() is due; -ENOENT or -ENOMEM. */
int source_text_open(struct source_text *text, const char *path,
		     const struct source_folders *folders);
void source_text_close(struct source_text *text);

/* A line, counted from 1; NULL: there is none. */
const char *source_text_line(const struct source_text *text, uint32_t number);

#endif
