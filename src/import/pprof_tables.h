/* SPDX-License-Identifier: MIT
 *
 * pprof_tables.h - everything in a profile of pprof but its samples, by number.
 */
#ifndef DWELL_IMPORT_PPROF_TABLES_H
#define DWELL_IMPORT_PPROF_TABLES_H

#include "base/hash.h"
#include "import.h"
#include "output/export/protobuf_read.h"
#include "symbol/build_id.h"

struct pprof_type {
	const char *name, *unit;
};

struct pprof_mapping {
	uint64_t id, start, limit, offset;
	const char *path;
	struct build_id build_id;
	uint32_t object; /* in the draft */
};

struct pprof_function {
	uint64_t id;
	const char *name, *symbol, *source;
};

struct pprof_line {
	uint32_t function; /* index; HASH_NONE: there is none */
	uint32_t line;
};

struct pprof_location {
	uint64_t id, address;
	uint32_t mapping;      /* index; HASH_NONE: none */
	uint32_t first, count; /* of its lines */
};

/* Starts as all zeroes; free with pprof_tables_free(). */
struct pprof_tables {
	char **strings;
	size_t string_count;
	struct pprof_type *types, period_type;
	size_t type_count;
	struct pprof_mapping *mappings;
	size_t mapping_count;
	struct pprof_function *functions;
	size_t function_count;
	struct pprof_location *locations;
	size_t location_count;
	struct pprof_line *lines;
	size_t line_count;
	struct hash by_mapping, by_function, by_location; /* id -> index */
	uint64_t time_ns, duration_ns, period;
	const char *default_type;
};

/* Reads the tables of a message. */
int pprof_tables_read(struct pprof_tables *tables, const struct import_bytes *file,
		      struct err *err);
void pprof_tables_free(struct pprof_tables *tables);

/* Returns the message of a file. */
struct protobuf_read pprof_tables_message(const struct import_bytes *file);

/* Returns a string by its number; "" if there is none. */
const char *pprof_tables_text(const struct pprof_tables *tables, uint64_t number);

#endif
