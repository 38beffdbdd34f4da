/* SPDX-License-Identifier: MIT
 *
 * merge_answers.h - puts the names in several archives together: each file, text and place once,
 * under new numbers.
 */
#ifndef DWELL_RECORDING_MAKE_MERGE_ANSWERS_H
#define DWELL_RECORDING_MAKE_MERGE_ANSWERS_H

#include "base/err.h"
#include "base/hash.h"
#include "item_list.h"
#include "recording/read/reader.h"

/* A file in any of the archives; two builds under one path are two files. */
struct merge_file {
	struct record_file *record; /* a copy, with its texts */
	struct record_place *places;
	size_t count;
	struct hash by_offset; /* -> the first place of an offset; those of others are unused */
};

/* A name or a source file. Two functions of the same name have two: one with code is identified by
 * its start, one that is only inlined by its source. */
struct merge_text {
	char *text;
	uint32_t file;   /* MERGE_SOURCE: it is a source file */
	uint32_t source; /* number of another text, for a function without a start */
	uint64_t start;
};

#define MERGE_SOURCE UINT32_MAX

/* Starts as all zeroes; free with merge_answers_free(). */
struct merge_answers {
	struct merge_file *files;
	size_t file_count;
	struct hash by_name; /* path and build-id, or run and pid -> index in files */
	struct merge_text *texts;
	size_t text_count;
	struct hash by_text; /* all of it -> index in texts */
};

/* Adds the names in an archive, whose first run has this number in the merged recording. The reader
 * may be closed then. */
int merge_answers_add(struct merge_answers *answers, const struct reader *reader, uint32_t run,
		      struct err *err);

/* Makes items of all; free `bytes` with free(). */
int merge_answers_items(const struct merge_answers *answers, struct item_list *items,
			struct err *err);

void merge_answers_free(struct merge_answers *answers);

#endif
