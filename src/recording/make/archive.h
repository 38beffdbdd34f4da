/* SPDX-License-Identifier: MIT
 *
 * archive.h - a recording once more, to be carried away: what was read of it, without the room that
 * nobody has used, and with what is known of the addresses in it.
 */
#ifndef DWELL_RECORDING_MAKE_ARCHIVE_H
#define DWELL_RECORDING_MAKE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "recording/read/reader.h"

struct archive {
	const struct reader *reader; /* its own ANSWERS are left out */
	const char *items;           /* that are to be in ANSWERS */
	size_t size;                 /* of all of them */
	bool replace;                /* a recording that is there already */
};

/* 0; or an error if a dwell is recording to the file just now. */
int archive_check_ended(const char *path, struct err *err);

/* The file is there when it is whole, or not at all. What is written depends on what was read
 * alone: an archive of an archive is the same, byte for byte. */
int archive_save(const struct archive *archive, const char *path, struct err *err);

#endif
