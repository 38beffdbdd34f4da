/* SPDX-License-Identifier: MIT
 *
 * pack.h - writes recordings again without unused space. Segments follow each other, and so do
 * items; owners are given by their new offsets.
 */
#ifndef DWELL_RECORDING_MAKE_PACK_H
#define DWELL_RECORDING_MAKE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/read/reader.h"

/* The extra contents of an archive; see archive.h. */
struct pack_extra {
	const char *items;
	size_t size; /* of all items */
};

/* A file being written, from its start to its end; the header comes last. */
struct pack_file {
	const char *path; /* for messages */
	int fd;           /* of an empty file */
	uint64_t end;     /* of the written part: at first that of the header */
	uint64_t strays;  /* segments that are referred to and do not exist */
};

/* Writes the segments of a recording, except for ANSWERS. */
int pack_segments(struct pack_file *file, const struct reader *reader, struct err *err);

int pack_put_extra(struct pack_file *file, const struct pack_extra *extra, struct err *err);

/* Writes the header, which gets its version and its ends. */
int pack_put_header(struct pack_file *file, struct record_header *header, struct err *err);

/* Stores the current instant in a header without a second one: the rate of its clock cannot be
 * found later. */
void pack_keep_rate(struct record_header *header);

/* Writes a recording to an empty file; path is for messages. ANSWERS of the input are left out. If
 * `extra` is NULL, it remains a recording that processes may still join: SETUP stays where they
 * expect it. */
int pack_write(const struct reader *reader, const struct pack_extra *extra, int fd,
	       const char *path, struct err *err);

/* Returns the size of that file if `extra` is NULL. */
uint64_t pack_bytes(const struct reader *reader);

#endif
