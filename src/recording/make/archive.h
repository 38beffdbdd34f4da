/* SPDX-License-Identifier: MIT
 *
 * archive.h - copies a recording for another machine: everything read from it, without unused
 * space, and with what is known about the addresses in it.
 */
#ifndef DWELL_RECORDING_MAKE_ARCHIVE_H
#define DWELL_RECORDING_MAKE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "recording/read/reader.h"

struct archive {
	const struct reader *reader; /* its own ANSWERS are left out */
	const char *items;           /* contents of ANSWERS */
	size_t size;                 /* of all items */
	bool replace;                /* an existing recording */
};

/* Returns 0, or an error if a dwell is currently recording to the file. */
int archive_check_ended(const char *path, struct err *err);

/* Writes the file; it appears when it is complete, or not at all. Its contents depend only on the
 * input: an archive of an archive is identical, byte for byte. */
int archive_save(const struct archive *archive, const char *path, struct err *err);

#endif
