/* SPDX-License-Identifier: MIT */
#include "perf_packed.h"

#include <zstd.h>

#include "import_bytes.h"

#define PIECE_BYTES ((size_t)65536)

bool perf_packed_is(const struct perf_record *record)
{
	return record->header.type == PERF_RECORD_OWN_COMPRESSED ||
	       record->header.type == PERF_RECORD_OWN_COMPRESSED2;
}

/* Unpacks one piece. Returns true if there may be more. */
static bool unpack(struct perf_packed *packed, struct import_bytes *to, ZSTD_inBuffer *in,
		   bool *is_damaged)
{
	ZSTD_outBuffer out = { to->bytes + to->size, PIECE_BYTES, 0 };

	*is_damaged = ZSTD_isError(ZSTD_decompressStream(packed->stream, &out, in));
	to->size += out.pos;
	/* A full buffer may have more behind it, even if all input was taken. */
	return !*is_damaged && (in->pos < in->size || out.pos == out.size);
}

int perf_packed_add(struct perf_packed *packed, struct perf_file *perf,
		    const struct perf_record *record, struct err *err)
{
	struct perf_part body = record->body;
	bool is_damaged = false, has_more = true;
	ZSTD_inBuffer in;
	int status = 0;

	/* A newer perf pads its records, and says how many bytes are used. */
	if (record->header.type == PERF_RECORD_OWN_COMPRESSED2) {
		uint64_t used = perf_part_u64(&body);

		if (used > body.size)
			return import_damaged(perf->file, "a packed record does not fit", err);
		body.size = (size_t)used;
	}
	if (!packed->stream)
		packed->stream = ZSTD_createDStream();
	if (!packed->stream)
		return err_no_memory(err);
	in = (ZSTD_inBuffer){ body.bytes, body.size, 0 };
	while (!status && has_more) {
		status = import_bytes_room(&perf->unpacked, &perf->unpacked_room, PIECE_BYTES, err);
		if (!status)
			has_more = unpack(packed, &perf->unpacked, &in, &is_damaged);
	}
	if (is_damaged)
		status = import_damaged(perf->file, "it cannot be unpacked by zstd", err);
	return status;
}

void perf_packed_free(struct perf_packed *packed)
{
	ZSTD_freeDStream(packed->stream);
	packed->stream = NULL;
}
