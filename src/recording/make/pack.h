/* SPDX-License-Identifier: MIT
 *
 * pack.h - writes a recording again without unused space. Segments follow each other, and so do
 * items; owners are given by their new offsets.
 */
#ifndef DWELL_RECORDING_MAKE_PACK_H
#define DWELL_RECORDING_MAKE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/read/reader.h"

/* The extra contents of an archive; see archive.h. */
struct pack_extra {
	const char *items;
	size_t size; /* of all items */
};

/* Writes to an empty file; path is for messages. ANSWERS of the input are left out. If `extra`
 * is NULL, it remains a recording that processes may still join: SETUP stays where they expect it.
 */
int pack_write(const struct reader *reader, const struct pack_extra *extra, int fd,
	       const char *path, struct err *err);

/* Returns the size of that file if `extra` is NULL. */
uint64_t pack_bytes(const struct reader *reader);

#endif
