/* SPDX-License-Identifier: MIT
 *
 * header.h - the header of a recording, checked, whatever version of the format it has; and where
 * the segments are that follow it.
 */
#ifndef DWELL_RECORDING_READ_HEADER_H
#define DWELL_RECORDING_READ_HEADER_H

#include <stddef.h>

#include "base/err.h"
#include "recording/format.h"

/* The longest one that there is: no file has a shorter one and no segments behind it. */
#define HEADER_BYTES_MAX sizeof(struct record_header)

/* From the first bytes of a file, HEADER_BYTES_MAX if it has so many. Its command ends with '\0'. 0
 * or -errno. */
int header_read(struct record_header *header, const void *bytes, size_t size, const char *path,
		struct err *err);

/* The sentence of all that makes no sense. */
int header_damaged(const char *path, const char *how, struct err *err);

/* How long a header is whose command has no room behind it: there the packed segments begin. */
uint64_t header_packed_start(const struct record_header *header);

/* Where a grain can begin that is behind all that is before an offset. */
uint64_t header_end_behind(uint64_t offset);

#endif
