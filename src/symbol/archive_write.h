/* SPDX-License-Identifier: MIT
 *
 * archive_write.h - what a symbolizer has answered, to be put into an archive: items FILE, TEXT and
 * PLACES of recording/format.h. archive_read.h is the way back.
 */
#ifndef DWELL_SYMBOL_ARCHIVE_WRITE_H
#define DWELL_SYMBOL_ARCHIVE_WRITE_H

#include "symbol/symbolizer.h"

/* A file that was asked about, or all that a process has made itself. */
struct archive_write_file {
	const struct symbolizer_object *object; /* NULL: made by a process */
	uint32_t pid;                           /* then: by which */
	struct record_place *places;
	size_t count;
	struct hash by_offset; /* -> the first place of an offset */
};

/* Starts as all zeroes; archive_write_free() is due. Texts and objects are the symbolizer's, which
 * must outlive what is kept. */
struct archive_write {
	struct archive_write_file *files;
	size_t count;
	struct hash by_owner; /* of number of object, or pid -> place in files */
	const char **texts;
	size_t text_count;
	struct hash
		by_text; /* of pointer -> place in texts: two functions may be called the same */
};

/* Keep what was answered, once for each offset or address: with functions that are inlined, and
 * what is said if these are not told apart. 0 or -ENOMEM. */
int archive_write_keep(struct archive_write *archive, const struct symbolizer_object *object,
		       uint64_t offset, const struct place *place, const struct place_frame *plain);
int archive_write_keep_jit(struct archive_write *archive, uint32_t pid, const struct place *place);

/* That an object was looked at. 0 or -ENOMEM. */
int archive_write_keep_object(struct archive_write *archive,
			      const struct symbolizer_object *object);

/* That signal handlers return to an offset that an answer was kept for. 0 or -ENOMEM. */
int archive_write_keep_signal(struct archive_write *archive, const struct symbolizer_object *object,
			      uint64_t offset);

/* All that the symbolizer has answered as items, one behind the other; to be freed. 0 or -ENOMEM.
 */
int archive_write_items(const struct archive_write *archive, const struct symbolizer *symbolizer,
			char **items, size_t *size);

void archive_write_free(struct archive_write *archive);

#endif
