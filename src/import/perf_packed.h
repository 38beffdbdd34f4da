/* SPDX-License-Identifier: MIT
 *
 * perf_packed.h - records that `perf record -z` has packed. All of them are one stream of zstd: a
 * record may begin in one piece and end in the next.
 */
#ifndef DWELL_IMPORT_PERF_PACKED_H
#define DWELL_IMPORT_PERF_PACKED_H

#include "perf_record.h"

/* Starts as all zeroes; free with perf_packed_free(). */
struct perf_packed {
	struct ZSTD_DCtx_s *stream;
};

/* Returns true for a record that has packed ones in it. */
bool perf_packed_is(const struct perf_record *record);

/* Adds the records in a record, in the order of the file, to those of perf->unpacked. */
int perf_packed_add(struct perf_packed *packed, struct perf_file *perf,
		    const struct perf_record *record, struct err *err);
void perf_packed_free(struct perf_packed *packed);

#endif
