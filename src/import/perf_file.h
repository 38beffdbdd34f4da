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
	const char *release, *arch; /* of the kernel, as uname(2) names them; NULL: unknown */
	/* Records that were packed, one behind the other; room of the bytes. */
	struct import_bytes unpacked;
	size_t unpacked_room;
};

int perf_file_open(struct perf_file *perf, const struct import_bytes *file, struct err *err);
void perf_file_free(struct perf_file *perf);

/* Returns the build-id of a file; none if it is unknown. */
struct build_id perf_file_build_id(const struct perf_file *perf, const char *path);

/* Add what a header has, or records in place of it: an event with its ids, a feature by its number,
 * and build-ids of files. */
int perf_file_add_event(struct perf_file *perf, struct perf_part attr, struct perf_part ids,
			struct err *err);
int perf_file_feature(struct perf_file *perf, uint64_t feature, struct perf_part part,
		      struct err *err);
int perf_file_add_builts(struct perf_file *perf, struct perf_part part, struct err *err);

/* Cuts bytes off a part. Returns NULL if it has not as many. */
const void *perf_part_take(struct perf_part *part, size_t size);

/* Cuts a number off a part; 0 if it has none. */
uint64_t perf_part_u64(struct perf_part *part);
uint32_t perf_part_u32(struct perf_part *part);

#endif
