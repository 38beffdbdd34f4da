/* SPDX-License-Identifier: MIT */
#include "gzip.h"

#include <limits.h>
#include <zlib.h>

/* zlib's way to ask for a gzip header around what it packs. */
#define GZIP_WINDOW (15 + 16)

/* zlib counts in unsigned ints. */
static void feed(z_stream *stream, const unsigned char **bytes, size_t *size)
{
	uInt piece = *size > UINT_MAX ? UINT_MAX : (uInt)*size;

	stream->next_in = (Bytef *)*bytes;
	stream->avail_in = piece;
	*bytes += piece;
	*size -= piece;
}

int gzip_write(const void *bytes, size_t size, FILE *out, struct err *err)
{
	const unsigned char *at = bytes;
	unsigned char packed[16384];
	z_stream stream = { 0 };
	int status;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return err_no_memory(err);
	do {
		if (stream.avail_in == 0 && size)
			feed(&stream, &at, &size);
		stream.next_out = packed;
		stream.avail_out = sizeof(packed);
		status = deflate(&stream, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(packed, 1, sizeof(packed) - stream.avail_out, out);
	} while (status == Z_OK || status == Z_BUF_ERROR);
	deflateEnd(&stream);
	return 0;
}
