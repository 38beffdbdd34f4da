/* SPDX-License-Identifier: MIT
 *
 * perf_file.h - a perf.data of `perf record`: its header, the events that it was asked for, and the
 * features behind its data. Foreign bytes: every offset is checked.
 */
#ifndef DWELL_IMPORT_PERF_FILE_H
#define DWELL_IMPORT_PERF_FILE_H

#include <linux/perf_event.h>

#include "base/hash.h"
#include "import.h"
#include "symbol/build_id.h"

/* An event that perf was asked to sample. */
struct perf_event {
	struct perf_event_attr attr;
	const char *name; /* "": unknown */
};

/* The build-id of a file that was mapped. */
struct perf_built {
	const char *path;
	struct build_id id;
};

/* A part of the file. */
struct perf_part {
	const char *bytes;
	size_t size;
};

/* Free with perf_file_free(); parts are those of the file in memory. */
struct perf_file {
	const struct import_bytes *file;
	struct perf_part data; /* records */
	struct perf_event *events;
	size_t event_count;
	struct hash by_id; /* of an event -> index */
	struct perf_built *builts;
	size_t built_count;
	char *command; /* the arguments, each with its final 0 */
	size_t command_size;
};

int perf_file_open(struct perf_file *perf, const struct import_bytes *file, struct err *err);
void perf_file_free(struct perf_file *perf);

/* Returns the build-id of a file; none if it is unknown. */
struct build_id perf_file_build_id(const struct perf_file *perf, const char *path);

/* Cuts bytes off a part. Returns NULL if it has not as many. */
const void *perf_part_take(struct perf_part *part, size_t size);

/* Cuts a number off a part; 0 if it has none. */
uint64_t perf_part_u64(struct perf_part *part);
uint32_t perf_part_u32(struct perf_part *part);

#endif
