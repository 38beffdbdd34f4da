/* SPDX-License-Identifier: MIT
 *
 * archive_read.h - what an archive says of the places that samples are of: the answers of a
 * symbolizer on the machine that had the files. archive_write.h is how they came in.
 *
 * An archive is a closed world: what it has no answer for stays unknown, whatever is on this
 * machine, so that it says the same everywhere.
 */
#ifndef DWELL_SYMBOL_ARCHIVE_READ_H
#define DWELL_SYMBOL_ARCHIVE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "recording/read/reader.h"
#include "symbol/build_id.h"
#include "symbol/elf_module.h"
#include "symbol/place.h"

/* The number of a file that an archive does not know. */
#define ARCHIVE_READ_NONE UINT32_MAX

/* What is at an offset of a file, all that it was inlined into, and the plain answer if that is
 * another one. */
struct archive_read_place {
	const struct record_place *places;
	uint32_t file;
	uint32_t count; /* at least 1 */
};

/* Starts as all zeroes. Its texts are the reader's. */
struct archive_read {
	bool is_there; /* the recording is an archive */
	const char **texts;
	size_t text_count;
	const struct record_file **files;
	size_t file_count;
	struct hash by_name; /* of path and build-id, or pid -> number of a file */
	struct archive_read_place *places;
	size_t place_count;
	struct hash by_offset; /* of file and offset -> place in places */
};

/* 0 or -ENOMEM; in either case, archive_read_free() is due. The reader must outlive it. */
int archive_read_open(struct archive_read *archive, const struct reader *reader);
void archive_read_free(struct archive_read *archive);

/* The number of a file, or of what a process has made; or ARCHIVE_READ_NONE. */
uint32_t archive_read_file(const struct archive_read *archive, const char *path,
			   const struct build_id *id);
uint32_t archive_read_made(const struct archive_read *archive, uint32_t pid);

/* The package that a file, by its number, is of; "": none that is known. */
const char *archive_read_package(const struct archive_read *archive, uint32_t file);

/* What is at an offset of a file, if that is known: a place that is set to something is left as it
 * is otherwise. */
void archive_read_find(const struct archive_read *archive, uint32_t file, uint64_t offset,
		       const struct elf_module_wish *wish, struct place *place);

/* Whether signal handlers return there. */
bool archive_read_is_signal(const struct archive_read *archive, uint32_t file, uint64_t offset);

#endif
