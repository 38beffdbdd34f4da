/* SPDX-License-Identifier: MIT */
#include "pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pack_item.h"
#include "recording/read/header.h"
#include "timebase.h"

/* The segments of one recording being written. */
struct packing {
	const struct reader *reader;
	struct pack_file *file;
	uint64_t *offsets; /* of the reader's segments in the new file; 0: left out */
	uint64_t *strays;  /* offsets at which there is no segment */
	size_t stray_count;
};

static int write_at(const struct pack_file *file, const void *bytes, size_t size, uint64_t offset,
		    struct err *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t more = pwrite(file->fd, (const char *)bytes + done, size - done,
				      (off_t)(offset + done));

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return err_set(err, errno, "cannot write '%s': %s", file->path,
				       strerror(errno));
		done += (size_t)more;
	}
	return 0;
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
		size += pack_item_bytes(item);
	return whole(size);
}

/* Returns true for a SETUP with specs or an event: processes map it at its fixed place. */
static bool has_its_place(const struct reader_segment *segment)
{
	return segment->kind == RECORD_SETUP && segment->offset == RECORD_GRAIN &&
	       (reader_find(segment, RECORD_SPEC) || reader_find(segment, RECORD_EVENT));
}

/* Computes the new offset of each segment from `offset` on, if offsets is not NULL. Returns their
 * end. */
static uint64_t lay_out(const struct reader *reader, uint64_t offset, bool keeps_place,
			uint64_t *offsets)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];

		if (segment->kind == RECORD_ANSWERS)
			continue;
		if (keeps_place && has_its_place(segment) && offset < RECORD_GRAIN)
			offset = RECORD_GRAIN;
		if (offsets)
			offsets[i] = offset;
		offset += segment_bytes(segment);
	}
	return offset;
}

/* Returns a number that no segment can have as its offset. */
static uint64_t stray_number(uint64_t stray)
{
	return stray / (RECORD_PACKED - 1) * RECORD_PACKED + stray % (RECORD_PACKED - 1) + 1;
}

/* Returns the new offset of a segment. A missing one gets a unique number: segments of the same
 * unknown owner still share it. */
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
			return stray_number(packing->file->strays + i);
	packing->strays[packing->stray_count++] = offset;
	return stray_number(packing->file->strays + i);
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
					 .tick_ns = old->tick_ns,
					 .unread = old->unread };
	if (segment->kind == RECORD_PROCESS) {
		head->setup = moved(packing, old->setup);
		process = (struct record_process *)(head + 1);
		process->parent = moved(packing, process->parent);
	}
	while ((item = reader_next(segment, item)))
		at += pack_item_put(bytes + at, item);
	status = write_at(packing->file, bytes, size, offset, err);
	free(bytes);
	return status;
}

static int write_segments(struct packing *packing, bool keeps_place, struct err *err)
{
	const struct reader *reader = packing->reader;
	struct pack_file *file = packing->file;
	int status = 0;

	packing->offsets = calloc(reader->count + 1, sizeof(*packing->offsets));
	/* Every segment has an owner, and processes a parent and a SETUP. */
	packing->strays = calloc(3 * reader->count + 1, sizeof(*packing->strays));
	if (!packing->offsets || !packing->strays)
		return err_no_memory(err);
	file->end = lay_out(reader, file->end, keeps_place, packing->offsets);
	for (size_t i = 0; i < reader->count && !status; i++)
		if (packing->offsets[i])
			status = write_segment(packing, &reader->segments[i], packing->offsets[i],
					       err);
	file->strays += packing->stray_count;
	return status;
}

static int put_segments(struct pack_file *file, const struct reader *reader, bool keeps_place,
			struct err *err)
{
	struct packing packing = { .reader = reader, .file = file };
	int status = write_segments(&packing, keeps_place, err);

	free(packing.offsets);
	free(packing.strays);
	return status;
}

int pack_segments(struct pack_file *file, const struct reader *reader, struct err *err)
{
	return put_segments(file, reader, false, err);
}

int pack_put_extra(struct pack_file *file, const struct pack_extra *extra, struct err *err)
{
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
	status = write_at(file, bytes, size, file->end, err);
	file->end += size;
	free(bytes);
	return status;
}

/* ---- the file ---- */

void pack_keep_rate(struct record_header *header)
{
	uint8_t boot_id[sizeof(header->boot_id)];

	if (!header->ended.ns && !header->archive.read.ns && timebase_boot_id(boot_id) &&
	    memcmp(boot_id, header->boot_id, sizeof(boot_id)) == 0)
		header->archive.read = timebase_now(header->clock);
}

int pack_put_header(struct pack_file *file, struct record_header *header, struct err *err)
{
	header->version = RECORD_VERSION;
	header->packed = file->end;
	header->end = header_end_behind(file->end);
	return write_at(file, header,
			offsetof(struct record_header, command) + header->command_size, 0, err);
}

int pack_write(const struct reader *reader, const struct pack_extra *extra, int fd,
	       const char *path, struct err *err)
{
	struct record_header header = reader->header;
	struct pack_file file = { .path = path, .fd = fd, .end = header_packed_start(&header) };
	int status = put_segments(&file, reader, !extra, err);

	header.archive.damaged = reader->damaged;
	header.archive.missing = reader->missing;
	pack_keep_rate(&header);
	if (!status && extra)
		status = pack_put_extra(&file, extra, err);
	return status ? status : pack_put_header(&file, &header, err);
}

uint64_t pack_bytes(const struct reader *reader)
{
	return lay_out(reader, header_packed_start(&reader->header), true, NULL);
}
