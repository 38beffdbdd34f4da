/* SPDX-License-Identifier: MIT
 *
 * archive_write.h - collects the results of a symbolizer for an archive: items FILE, TEXT and
 * PLACES of recording/format.h. archive_read.h reads them.
 */
#ifndef DWELL_SYMBOL_ARCHIVE_WRITE_H
#define DWELL_SYMBOL_ARCHIVE_WRITE_H

#include "symbol/symbolizer.h"

/* A file that was looked up, or all code that a process made itself. */
struct archive_write_file {
	const struct symbolizer_object *object; /* NULL: made by a process */
	uint64_t maker;                         /* that process: see archive_read.h */
	struct record_place *places;
	size_t count;
	struct hash by_offset; /* -> the first place of an offset */
};

/* Starts as all zeroes; free with archive_write_free(). Texts and objects belong to the symbolizer,
 * which must outlive it. */
struct archive_write {
	struct archive_write_file *files;
	size_t count;
	struct hash by_owner; /* number of object, or maker -> index in files */
	const char **texts;
	size_t text_count;
	struct hash by_text; /* pointer -> index in texts: two functions may have the same name */
};

/* Stores a result, once per offset or address: with inlined functions, and without them. Returns 0
 * or -ENOMEM. */
int archive_write_keep(struct archive_write *archive, const struct symbolizer_object *object,
		       uint64_t offset, const struct place *place, const struct place_frame *plain);
int archive_write_keep_jit(struct archive_write *archive, uint64_t maker,
			   const struct place *place);

/* Notes that an object was looked at. Returns 0 or -ENOMEM. */
int archive_write_keep_object(struct archive_write *archive,
			      const struct symbolizer_object *object);

/* Notes that signal handlers return to an offset with a stored result. Returns 0 or -ENOMEM. */
int archive_write_keep_signal(struct archive_write *archive, const struct symbolizer_object *object,
			      uint64_t offset);

/* Makes items of all results, one behind the other; free with free(). Returns 0 or -ENOMEM.
 */
int archive_write_items(const struct archive_write *archive, const struct symbolizer *symbolizer,
			char **items, size_t *size);

void archive_write_free(struct archive_write *archive);

#endif
