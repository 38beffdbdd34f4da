/* SPDX-License-Identifier: MIT */
#include "gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

/* Makes zlib write a gzip header. */
#define GZIP_WINDOW (15 + 16)

struct gzip {
	FILE *out;
	z_stream stream;
	unsigned char packed[16384];
};

struct gzip *gzip_open(FILE *out)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->out = out;
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) == Z_OK)
		return gzip;
	free(gzip);
	return NULL;
}

/* Packs what there is; with Z_FINISH up to the end. */
static void pack(struct gzip *gzip, int flush)
{
	z_stream *stream = &gzip->stream;

	do {
		stream->next_out = gzip->packed;
		stream->avail_out = sizeof(gzip->packed);
		deflate(stream, flush);
		fwrite(gzip->packed, 1, sizeof(gzip->packed) - stream->avail_out, gzip->out);
	} while (stream->avail_out == 0);
}

void gzip_write(struct gzip *gzip, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	while (size) {
		/* zlib counts in unsigned ints. */
		uInt piece = size > UINT_MAX ? UINT_MAX : (uInt)size;

		gzip->stream.next_in = (Bytef *)at;
		gzip->stream.avail_in = piece;
		pack(gzip, Z_NO_FLUSH);
		at += piece;
		size -= piece;
	}
}

void gzip_close(struct gzip *gzip)
{
	pack(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	free(gzip);
}
