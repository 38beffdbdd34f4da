/* SPDX-License-Identifier: MIT
 *
 * pack.h - writes a recording once more: what was read of it, without the room that nobody has
 * used. Segments follow each other, and so do items; owners are known by their new offsets.
 */
#ifndef DWELL_RECORDING_MAKE_PACK_H
#define DWELL_RECORDING_MAKE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/read/reader.h"

/* What an archive has besides; see archive.h. */
struct pack_answers {
	const char *items;
	size_t size; /* of all of them */
};

/* To a file that is empty; path is for sentences. ANSWERS that were read are left out. Without
 * answers it remains a recording that processes may still come to: then what they have been told
 * is where they look for it. */
int pack_write(const struct reader *reader, const struct pack_answers *answers, int fd,
	       const char *path, struct err *err);

/* How long a file that is, without answers. */
uint64_t pack_bytes(const struct reader *reader);

#endif
