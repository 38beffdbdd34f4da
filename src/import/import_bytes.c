/* SPDX-License-Identifier: MIT */
#include "import_bytes.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Makes zlib expect a gzip header. */
#define GZIP_WINDOW (15 + 16)

/* A file may unpack to a thousand times its size: more than this is not a profile. */
#define MOST_BYTES ((size_t)2 << 30)

static int cannot_read(const char *path, int code, struct err *err)
{
	return err_set(err, code, "cannot read '%s': %s", path, strerror(code));
}

static int too_large(const char *path, struct err *err)
{
	return err_set(err, EFBIG, "'%s' is too large: more than 2 GiB are not supported", path);
}

int import_bytes_room(struct import_bytes *file, size_t *room, size_t wanted, struct err *err)
{
	size_t more = *room ? *room : 65536;
	char *bytes;

	if (file->size > MOST_BYTES)
		return too_large(file->path, err);
	while (more < file->size + wanted + 1)
		more *= 2;
	if (more == *room)
		return 0;
	bytes = realloc(file->bytes, more);
	if (!bytes)
		return err_no_memory(err);
	file->bytes = bytes;
	*room = more;
	return 0;
}

static int read_all(struct import_bytes *file, int fd, struct err *err)
{
	size_t room = 0;
	ssize_t got = 1;
	int status = 0;

	while (!status && got) {
		status = import_bytes_room(file, &room, 65536, err);
		if (status)
			break;
		got = read(fd, file->bytes + file->size, 65536);
		if (got < 0)
			status = errno == EINTR ? 0 : cannot_read(file->path, errno, err);
		else
			file->size += (size_t)got;
	}
	if (!status)
		file->bytes[file->size] = '\0';
	return status;
}

/* Unpacks up to the end of the stream; files may be several streams, one behind the other. */
static int inflate_all(z_stream *stream, struct import_bytes *into, struct err *err)
{
	size_t room = 0;
	int status = 0, result = Z_OK;

	while (!status && (result == Z_OK || (result == Z_STREAM_END && stream->avail_in))) {
		if (result == Z_STREAM_END && inflateReset(stream) != Z_OK)
			break;
		status = import_bytes_room(into, &room, 65536, err);
		if (status)
			break;
		stream->next_out = (Bytef *)into->bytes + into->size;
		stream->avail_out = 65536;
		result = inflate(stream, Z_NO_FLUSH);
		into->size += 65536 - stream->avail_out;
	}
	if (!status && result != Z_STREAM_END)
		status = import_damaged(into, "it cannot be unpacked by gzip", err);
	if (!status)
		into->bytes[into->size] = '\0';
	return status;
}

static int unpack(struct import_bytes *file, struct err *err)
{
	struct import_bytes unpacked = { .path = file->path };
	z_stream stream = { .next_in = (Bytef *)file->bytes, .avail_in = (uInt)file->size };
	int status;

	if (file->size > UINT_MAX)
		return too_large(file->path, err);
	if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return err_no_memory(err);
	status = inflate_all(&stream, &unpacked, err);
	inflateEnd(&stream);
	if (status) {
		free(unpacked.bytes);
		return status;
	}
	free(file->bytes);
	*file = unpacked;
	return 0;
}

static bool is_packed(const struct import_bytes *file)
{
	return file->size > 2 && memcmp(file->bytes, "\x1f\x8b", 2) == 0;
}

int import_bytes_read(struct import_bytes *file, const char *path, struct err *err)
{
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = 0;
	struct stat stat;

	*file = (struct import_bytes){ .path = path };
	if (fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode))
		status = err_set(err, EINVAL, "'%s' is not a file", path);
	if (!status)
		status = read_all(file, fd, err);
	close(fd);
	if (!status && is_packed(file))
		status = unpack(file, err);
	if (status)
		free(file->bytes);
	return status;
}
