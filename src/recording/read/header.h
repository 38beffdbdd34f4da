/* SPDX-License-Identifier: MIT
 *
 * header.h - reads and validates the header of a recording of any version, and finds the segments
 * behind it.
 */
#ifndef DWELL_RECORDING_READ_HEADER_H
#define DWELL_RECORDING_READ_HEADER_H

#include <stddef.h>

#include "base/err.h"
#include "recording/format.h"

/* The longest header: no file has a shorter one and no segments behind it. */
#define HEADER_BYTES_MAX sizeof(struct record_header)

/* Reads it from the first bytes of a file, HEADER_BYTES_MAX if it has that many. Its command ends
 * with '\0'. Returns 0 or -errno. */
int header_read(struct record_header *header, const void *bytes, size_t size, const char *path,
		struct err *err);

/* Sets the error for an invalid recording. */
int header_damaged(const char *path, const char *how, struct err *err);

/* Returns the size of a header without space behind its command: the packed segments begin
 * there. */
uint64_t header_packed_start(const struct record_header *header);

/* Returns the first possible start of a grain at or behind an offset. */
uint64_t header_end_behind(uint64_t offset);

#endif
