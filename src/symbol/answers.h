/* SPDX-License-Identifier: MIT
 *
 * answers.h - what a symbolizer has answered, to be put into an archive: items FILE, TEXT and
 * PLACES of recording/format.h. carried.h is the way back.
 */
#ifndef DWELL_SYMBOL_ANSWERS_H
#define DWELL_SYMBOL_ANSWERS_H

#include "symbol/symbolizer.h"

/* A file that was asked about, or all that a process has made itself. */
struct answers_file {
	const struct symbolizer_object *object; /* NULL: made by a process */
	uint32_t pid;                           /* then: by which */
	struct record_place *places;
	size_t count;
	struct hash by_offset; /* -> the first place of an offset */
};

/* Starts as all zeroes; answers_free() is due. Texts and objects are the symbolizer's, which must
 * outlive what is kept. */
struct answers {
	struct answers_file *files;
	size_t count;
	struct hash by_owner; /* of number of object, or pid -> place in files */
	const char **texts;
	size_t text_count;
	struct hash
		by_text; /* of pointer -> place in texts: two functions may be called the same */
};

/* Keep what was answered, once for each offset or address: with functions that are inlined, and
 * what is said if these are not told apart. 0 or -ENOMEM. */
int answers_keep(struct answers *answers, const struct symbolizer_object *object, uint64_t offset,
		 const struct place *place, const struct place_frame *plain);
int answers_keep_jit(struct answers *answers, uint32_t pid, const struct place *place);

/* That an object was looked at. 0 or -ENOMEM. */
int answers_keep_object(struct answers *answers, const struct symbolizer_object *object);

/* That signal handlers return to an offset that an answer was kept for. 0 or -ENOMEM. */
int answers_keep_signal(struct answers *answers, const struct symbolizer_object *object,
			uint64_t offset);

/* All that the symbolizer has answered as items, one behind the other; to be freed. 0 or -ENOMEM.
 */
int answers_items(const struct answers *answers, const struct symbolizer *symbolizer, char **items,
		  size_t *size);

void answers_free(struct answers *answers);

#endif
