/* SPDX-License-Identifier: MIT */
#include "pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/read/header.h"
#include "timebase.h"

/* A packed recording being written. */
struct packing {
	const struct reader *reader;
	const struct pack_extra *extra; /* NULL: none */
	const char *path;
	int fd;
	uint64_t *offsets; /* of the reader's segments in the new file; 0: left out */
	uint64_t *strays;  /* owners that do not exist */
	size_t stray_count;
	uint64_t end; /* of the written part */
};

static int write_at(const struct packing *packing, const void *bytes, size_t size, uint64_t offset,
		    struct err *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t more = pwrite(packing->fd, (const char *)bytes + done, size - done,
				      (off_t)(offset + done));

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return err_set(err, errno, "cannot write '%s': %s", packing->path,
				       strerror(errno));
		done += (size_t)more;
	}
	return 0;
}

static size_t eighths(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* ---- items ---- */

/* Returns the size of an item that ends with this many texts. */
static size_t text_bytes(const struct record_item *item, size_t head, int count)
{
	const char *at = (const char *)item + head;

	for (; count; count--)
		at += strlen(at) + 1;
	return eighths((size_t)(at - (const char *)item));
}

/* Returns the size of an item without unused space. */
static size_t used_bytes(const struct record_item *item)
{
	const struct record_frames *frames = (const struct record_frames *)item;
	const struct record_samples *samples = (const struct record_samples *)item;
	const struct record_arcs *arcs = (const struct record_arcs *)item;

	switch (item->kind) {
	case RECORD_ARCS:
		return sizeof(*arcs) + arcs->count * sizeof(arcs->arcs[0]);
	case RECORD_FRAMES:
		return eighths(sizeof(*frames) + frames->count * sizeof(frames->frames[0]));
	case RECORD_SAMPLES:
		return eighths(sizeof(*samples) + samples->count * sizeof(samples->samples[0]));
	case RECORD_MAP:
		return text_bytes(item, sizeof(struct record_map), 1);
	case RECORD_OBJECT:
		return text_bytes(item, sizeof(struct record_object), 2);
	case RECORD_FUNCTION:
		return text_bytes(item, sizeof(struct record_function), 2);
	default:
		return item->size;
	}
}

static size_t put_item(char *at, const struct record_item *item)
{
	struct record_frames *frames = (struct record_frames *)at;
	struct record_samples *samples = (struct record_samples *)at;
	struct record_arcs *arcs = (struct record_arcs *)at;
	size_t size = used_bytes(item);

	memcpy(at, item, size);
	((struct record_item *)at)->size = (uint32_t)size;
	/* The data behind the last one may belong to the next one, which is being written. */
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

/* ---- segments ---- */

static size_t whole(size_t size)
{
	return (size + RECORD_PACKED - 1) / RECORD_PACKED * RECORD_PACKED;
}

static size_t segment_bytes(const struct reader_segment *segment)
{
	const struct record_item *item = NULL;
	size_t size = segment->items;

	while ((item = reader_next(segment, item)))
		size += used_bytes(item);
	return whole(size);
}

/* Returns true for SETUP, if not empty: processes map it at its fixed place. */
static bool has_its_place(const struct reader_segment *segment)
{
	return segment->kind == RECORD_SETUP && segment->offset == RECORD_GRAIN &&
	       reader_next(segment, NULL);
}

/* Computes the new offset of each segment, if offsets is not NULL. Returns their end. */
static uint64_t lay_out(const struct reader *reader, bool is_archive, uint64_t *offsets)
{
	uint64_t offset = header_packed_start(&reader->header);

	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];

		if (segment->kind == RECORD_ANSWERS)
			continue;
		if (!is_archive && has_its_place(segment) && offset < RECORD_GRAIN)
			offset = RECORD_GRAIN;
		if (offsets)
			offsets[i] = offset;
		offset += segment_bytes(segment);
	}
	return offset;
}

/* Returns the new offset of a segment. A missing one gets a unique number that no segment can have:
 * segments of the same unknown owner still share it. */
static uint64_t moved(struct packing *packing, uint64_t offset)
{
	const struct reader *reader = packing->reader;
	const struct reader_segment *segment = reader_segment_at(reader, offset);
	size_t i;

	if (offset == 0)
		return 0;
	if (segment && packing->offsets[segment - reader->segments])
		return packing->offsets[segment - reader->segments];
	for (i = 0; i < packing->stray_count; i++)
		if (packing->strays[i] == offset)
			return i + 1;
	packing->strays[packing->stray_count++] = offset;
	return i + 1;
}

static int write_segment(struct packing *packing, const struct reader_segment *segment,
			 uint64_t offset, struct err *err)
{
	size_t size = segment_bytes(segment), at = segment->items;
	const struct record_item *item = NULL;
	char *bytes = calloc(1, size);
	struct record_segment *head = (struct record_segment *)bytes;
	const struct record_segment *old = (const struct record_segment *)segment->bytes;
	struct record_process *process;
	int status;

	if (!bytes)
		return err_no_memory(err);
	memcpy(bytes, segment->bytes, segment->items);
	*head = (struct record_segment){ .mark = RECORD_SEGMENT_MARK,
					 .kind = segment->kind,
					 .size = size,
					 .owner = moved(packing, segment->owner),
					 .cpu_ns = old->cpu_ns,
					 .system_ns = old->system_ns,
					 .tick_ns = old->tick_ns };
	if (segment->kind == RECORD_PROCESS) {
		process = (struct record_process *)(head + 1);
		process->parent = moved(packing, process->parent);
	}
	while ((item = reader_next(segment, item)))
		at += put_item(bytes + at, item);
	status = write_at(packing, bytes, size, offset, err);
	free(bytes);
	return status;
}

static int write_extra(struct packing *packing, struct err *err)
{
	const struct pack_extra *extra = packing->extra;
	size_t size = whole(sizeof(struct record_segment) + extra->size);
	char *bytes = calloc(1, size);
	int status;

	if (!bytes)
		return err_no_memory(err);
	*(struct record_segment *)bytes = (struct record_segment){ .mark = RECORD_SEGMENT_MARK,
								   .kind = RECORD_ANSWERS,
								   .size = size };
	if (extra->size)
		memcpy(bytes + sizeof(struct record_segment), extra->items, extra->size);
	status = write_at(packing, bytes, size, packing->end, err);
	packing->end += size;
	free(bytes);
	return status;
}

/* ---- the file ---- */

static int write_header(struct packing *packing, struct err *err)
{
	const struct reader *reader = packing->reader;
	struct record_header header = reader->header;
	uint8_t boot_id[sizeof(header.boot_id)];

	header.version = RECORD_VERSION;
	header.packed = packing->end;
	header.end = header_end_behind(packing->end);
	header.archive.damaged = reader->damaged;
	header.archive.missing = reader->missing;
	/* The rate of a clock cannot be found later without a second reading. */
	if (!header.ended.ns && !header.archive.read.ns && timebase_boot_id(boot_id) &&
	    memcmp(boot_id, header.boot_id, sizeof(boot_id)) == 0)
		header.archive.read = timebase_now(header.clock);
	return write_at(packing, &header,
			offsetof(struct record_header, command) + header.command_size, 0, err);
}

static int write_all(struct packing *packing, struct err *err)
{
	const struct reader *reader = packing->reader;
	int status = 0;

	packing->end = lay_out(reader, packing->extra, packing->offsets);
	for (size_t i = 0; i < reader->count && !status; i++)
		if (packing->offsets[i])
			status = write_segment(packing, &reader->segments[i], packing->offsets[i],
					       err);
	if (!status && packing->extra)
		status = write_extra(packing, err);
	return status ? status : write_header(packing, err);
}

int pack_write(const struct reader *reader, const struct pack_extra *extra, int fd,
	       const char *path, struct err *err)
{
	struct packing packing = { .reader = reader, .extra = extra, .path = path, .fd = fd };
	int status;

	packing.offsets = calloc(reader->count + 1, sizeof(*packing.offsets));
	/* Every segment has an owner, and processes a parent. */
	packing.strays = calloc(2 * reader->count + 1, sizeof(*packing.strays));
	status = packing.offsets && packing.strays ? write_all(&packing, err) : err_no_memory(err);
	free(packing.offsets);
	free(packing.strays);
	return status;
}

uint64_t pack_bytes(const struct reader *reader)
{
	return lay_out(reader, false, NULL);
}
