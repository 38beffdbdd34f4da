/* SPDX-License-Identifier: MIT */
#include "record/archive.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/timebase.h"

int archive_check_ended(const char *path, struct err *err)
{
	/* Without O_NONBLOCK, a FIFO would keep us waiting for somebody to write. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = 0;

	if (fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		status = err_set(err, EBUSY, "a dwell is still recording to '%s'", path);
	close(fd);
	return status;
}

/* An archive on its way to the disk. */
struct writing {
	const struct archive *archive;
	const char *path; /* as it will be called */
	char *temporary;  /* as it is called until it is whole */
	int fd;
	uint64_t *offsets; /* of the reader's segments in the new file; 0: it is left out */
	uint64_t *strays;  /* owners that are not there */
	size_t stray_count;
	uint64_t end; /* of what is written */
};

static int cannot_write(const struct writing *writing, int code, struct err *err)
{
	return err_set(err, code, "cannot write '%s': %s", writing->path, strerror(code));
}

static int append(struct writing *writing, const void *bytes, size_t size, struct err *err)
{
	const char *at = bytes;

	while (size) {
		ssize_t done = write(writing->fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return cannot_write(writing, errno, err);
		at += done;
		size -= (size_t)done;
		writing->end += (uint64_t)done;
	}
	return 0;
}

static size_t whole_grains(size_t size)
{
	return (size + RECORD_GRAIN - 1) / RECORD_GRAIN * RECORD_GRAIN;
}

static size_t eighths(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* How long an item is without room that nobody has used. */
static size_t used_bytes(const struct record_item *item)
{
	const struct record_frames *frames = (const struct record_frames *)item;
	const struct record_samples *samples = (const struct record_samples *)item;
	const struct record_arcs *arcs = (const struct record_arcs *)item;

	if (item->kind == RECORD_ARCS)
		return sizeof(*arcs) + arcs->count * sizeof(arcs->arcs[0]);
	if (item->kind == RECORD_FRAMES)
		return eighths(sizeof(*frames) + frames->count * sizeof(frames->frames[0]));
	if (item->kind == RECORD_SAMPLES)
		return eighths(sizeof(*samples) + samples->count * sizeof(samples->samples[0]));
	return item->size;
}

static size_t put_item(char *at, const struct record_item *item)
{
	struct record_frames *frames = (struct record_frames *)at;
	struct record_samples *samples = (struct record_samples *)at;
	struct record_arcs *arcs = (struct record_arcs *)at;
	size_t size = used_bytes(item);

	memcpy(at, item, size);
	((struct record_item *)at)->size = (uint32_t)size;
	/* What is behind the last one may be of the next one, which is being written. */
	if (item->kind == RECORD_FRAMES) {
		frames->room = frames->count;
		memset(&frames->frames[frames->count], 0,
		       size - sizeof(*frames) - frames->count * sizeof(frames->frames[0]));
	}
	if (item->kind == RECORD_SAMPLES)
		samples->room = samples->count;
	if (item->kind == RECORD_ARCS)
		arcs->room = arcs->count;
	return size;
}

static size_t segment_bytes(const struct reader_segment *segment)
{
	const struct record_item *item = NULL;
	size_t size = segment->items;

	while ((item = reader_next(segment, item)))
		size += used_bytes(item);
	return whole_grains(size);
}

/* Where every segment will be. */
static void lay_out(struct writing *writing)
{
	const struct reader *reader = writing->archive->reader;
	uint64_t offset = RECORD_GRAIN;

	for (size_t i = 0; i < reader->count; i++) {
		if (reader->segments[i].kind == RECORD_ANSWERS)
			continue;
		writing->offsets[i] = offset;
		offset += segment_bytes(&reader->segments[i]);
	}
}

/* The new offset of a segment. One that is not there gets a number that no segment can have, each
 * its own: what belongs to the same unknown owner still does. */
static uint64_t moved(struct writing *writing, uint64_t offset)
{
	const struct reader *reader = writing->archive->reader;
	const struct reader_segment *segment = reader_segment_at(reader, offset);
	size_t i;

	if (offset == 0)
		return 0;
	if (segment && writing->offsets[segment - reader->segments])
		return writing->offsets[segment - reader->segments];
	for (i = 0; i < writing->stray_count; i++)
		if (writing->strays[i] == offset)
			return i + 1;
	writing->strays[writing->stray_count++] = offset;
	return i + 1;
}

static int write_segment(struct writing *writing, const struct reader_segment *segment,
			 struct err *err)
{
	size_t size = segment_bytes(segment), at = segment->items;
	const struct record_item *item = NULL;
	char *bytes = calloc(1, size);
	struct record_segment *head = (struct record_segment *)bytes;
	struct record_process *process;
	int status;

	if (!bytes)
		return err_no_memory(err);
	memcpy(bytes, segment->bytes, segment->items);
	*head = (struct record_segment){ .mark = RECORD_SEGMENT_MARK,
					 .kind = segment->kind,
					 .size = size,
					 .owner = moved(writing, segment->owner) };
	if (segment->kind == RECORD_PROCESS) {
		process = (struct record_process *)(head + 1);
		process->parent = moved(writing, process->parent);
	}
	while ((item = reader_next(segment, item)))
		at += put_item(bytes + at, item);
	status = append(writing, bytes, size, err);
	free(bytes);
	return status;
}

static int write_answers(struct writing *writing, struct err *err)
{
	const struct archive *archive = writing->archive;
	size_t size = whole_grains(sizeof(struct record_segment) + archive->size);
	char *bytes = calloc(1, size);
	int status;

	if (!bytes)
		return err_no_memory(err);
	*(struct record_segment *)bytes = (struct record_segment){ .mark = RECORD_SEGMENT_MARK,
								   .kind = RECORD_ANSWERS,
								   .size = size };
	if (archive->size)
		memcpy(bytes + sizeof(struct record_segment), archive->items, archive->size);
	status = append(writing, bytes, size, err);
	free(bytes);
	return status;
}

/* Only now is it known how long the file is. */
static int write_header(struct writing *writing, struct err *err)
{
	const struct reader *reader = writing->archive->reader;
	struct record_header header = reader->header;
	uint8_t boot_id[sizeof(header.boot_id)];
	ssize_t written;

	header.version = RECORD_VERSION;
	header.end = writing->end;
	header.archive.damaged = reader->damaged;
	header.archive.missing = reader->missing;
	/* Nobody can say later how fast a clock was that nobody has looked at a second time. */
	if (!header.ended.ns && !header.archive.read.ns && timebase_boot_id(boot_id) &&
	    memcmp(boot_id, header.boot_id, sizeof(boot_id)) == 0)
		header.archive.read = timebase_now(header.clock);
	written = pwrite(writing->fd, &header, sizeof(header), 0);
	if (written != sizeof(header))
		return cannot_write(writing, written < 0 ? errno : ENOSPC, err);
	return 0;
}

static int write_all(struct writing *writing, struct err *err)
{
	static const char nothing[RECORD_GRAIN];
	const struct reader *reader = writing->archive->reader;
	int status = append(writing, nothing, sizeof(nothing), err);

	lay_out(writing);
	for (size_t i = 0; i < reader->count && !status; i++)
		if (writing->offsets[i])
			status = write_segment(writing, &reader->segments[i], err);
	if (!status)
		status = write_answers(writing, err);
	if (!status)
		status = write_header(writing, err);
	if (!status && fsync(writing->fd))
		status = cannot_write(writing, errno, err);
	return status;
}

/* Whether what is there may be replaced: it is a recording. */
static int check_replaceable(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char magic[sizeof(RECORD_MAGIC) - 1];
	struct stat stat;
	int status = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &stat) || !S_ISREG(stat.st_mode) ||
	    pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    memcmp(magic, RECORD_MAGIC, sizeof(magic)) != 0)
		status = err_set(err, EEXIST,
				 "'%s' is there and no dwell recording, so it is not replaced",
				 path);
	if (fd >= 0)
		close(fd);
	return status;
}

static int give_name(struct writing *writing, struct err *err)
{
	int status = 0;

	if (writing->archive->replace)
		status = check_replaceable(writing->path, err);
	if (status)
		return status;
	if (writing->archive->replace)
		status = rename(writing->temporary, writing->path);
	else
		status = link(writing->temporary, writing->path);
	if (status && errno == EEXIST)
		return err_set(err, EEXIST, "'%s' is there already; --force replaces it",
			       writing->path);
	return status ? cannot_write(writing, errno, err) : 0;
}

static int open_temporary(struct writing *writing, struct err *err)
{
	if (asprintf(&writing->temporary, "%s.XXXXXX", writing->path) < 0) {
		writing->temporary = NULL;
		return err_no_memory(err);
	}
	writing->fd = mkostemp(writing->temporary, O_CLOEXEC);
	return writing->fd < 0 ? err_set(err, errno, "cannot create '%s': %s", writing->path,
					 strerror(errno))
			       : 0;
}

int archive_write(const struct archive *archive, const char *path, struct err *err)
{
	struct writing writing = { .archive = archive, .path = path, .fd = -1 };
	size_t count = archive->reader->count;
	int status;

	writing.offsets = calloc(count + 1, sizeof(*writing.offsets));
	/* Every segment has an owner, and processes a parent. */
	writing.strays = calloc(2 * count + 1, sizeof(*writing.strays));
	status = writing.offsets && writing.strays ? open_temporary(&writing, err)
						   : err_no_memory(err);
	if (!status)
		status = write_all(&writing, err);
	if (!status)
		status = give_name(&writing, err);
	if (writing.fd >= 0) {
		close(writing.fd);
		/* Renamed, it is not there any more. */
		unlink(writing.temporary);
	}
	free(writing.temporary);
	free(writing.offsets);
	free(writing.strays);
	return status;
}
