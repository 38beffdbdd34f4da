/* SPDX-License-Identifier: MIT
 *
 * archive_read.h - reads the facts in an archive about the sampled places: the results of a
 * symbolizer on the machine that had the files. archive_write.h stores them.
 *
 * An archive is self-contained: an address it does not describe stays unknown, even if this machine
 * has the file, so that reports are the same everywhere.
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

/* The number of a file that is not in the archive. */
#define ARCHIVE_READ_NONE UINT32_MAX

/* The functions at an offset of a file, all that it was inlined into, and the plain result if that
 * differs. */
struct archive_read_place {
	const struct record_place *places;
	uint32_t file;
	uint32_t count; /* at least 1 */
};

/* Starts as all zeroes. Its texts belong to the reader. */
struct archive_read {
	bool is_there; /* the recording is an archive */
	const char **texts;
	size_t text_count;
	const struct record_file **files;
	size_t file_count;
	struct hash by_name; /* path and build-id, or maker -> number of a file */
	struct archive_read_place *places;
	size_t place_count;
	struct hash by_offset; /* file and offset -> index in places */
};

/* Returns 0 or -ENOMEM; in either case, free with archive_read_free(). The reader must outlive
 * it. */
int archive_read_open(struct archive_read *archive, const struct reader *reader);
void archive_read_free(struct archive_read *archive);

/* Returns the number of a file, or of the code that a process made; or ARCHIVE_READ_NONE. A maker
 * is the number of the process's run << 32 | its pid: see recording/read/runs.h. */
uint32_t archive_read_file(const struct archive_read *archive, const char *path,
			   const struct build_id *id);
uint32_t archive_read_made(const struct archive_read *archive, uint64_t maker);

/* Returns the package of a file, by its number; "": unknown. */
const char *archive_read_package(const struct archive_read *archive, uint32_t file);

/* Fills in the place at an offset of a file, if known; otherwise leaves it unchanged. */
void archive_read_find(const struct archive_read *archive, uint32_t file, uint64_t offset,
		       const struct elf_module_wish *wish, struct place *place);

/* Returns true if signal handlers return there. */
bool archive_read_is_signal(const struct archive_read *archive, uint32_t file, uint64_t offset);

#endif
