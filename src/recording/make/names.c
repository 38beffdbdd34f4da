/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"

static int add_pcs(struct names_pcs *pcs, const struct record_frames *frames)
{
	for (uint32_t i = 0; i < frames->count; i++) {
		const uint32_t *pc = frames->frames[i].pc;
		uint64_t *more = vec_room(pcs->list, pcs->count, sizeof(*more));

		if (!more)
			return -ENOMEM;
		pcs->list = more;
		more[pcs->count++] = (uint64_t)(pc[1] & ~RECORD_FRAME_GUESSED) << 32 | pc[0];
	}
	return 0;
}

static uint64_t process_of(const struct reader *reader, const struct reader_segment *segment)
{
	const struct reader_segment *thread = segment;

	if (segment->kind == RECORD_COUNTS)
		thread = reader_segment_at(reader, segment->owner);
	return thread && thread->kind == RECORD_THREAD ? thread->owner : 0;
}

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

int names_find_pcs(struct names_pcs *pcs, const struct reader *reader, uint64_t process)
{
	int status = 0;

	pcs->count = 0;
	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		const struct record_item *item = NULL;

		if (process_of(reader, segment) != process)
			continue;
		while (!status && (item = reader_next(segment, item)))
			if (item->kind == RECORD_FRAMES)
				status = add_pcs(pcs, (const struct record_frames *)item);
	}
	if (pcs->count)
		qsort(pcs->list, pcs->count, sizeof(*pcs->list), by_value);
	return status;
}

/* Takes space at the end of the recording: processes may still do so as well. Returns its offset;
 * 0: none. */
static uint64_t take_space(int fd, size_t size)
{
	struct record_header *header =
		mmap(NULL, sizeof(*header), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint64_t offset;

	if (header == MAP_FAILED)
		return 0;
	offset = atomic_fetch_add((_Atomic uint64_t *)&header->end, size);
	munmap(header, sizeof(*header));
	return offset < RECORD_END_SEALED ? offset : 0;
}

static bool write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	return pwrite(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* The mark is written last. */
int names_write(const struct creation *creation, uint64_t process, const struct item_list *items)
{
	int fd = creation->fd;
	size_t bytes = sizeof(struct record_segment) + items->size;
	struct record_segment head = { .kind = RECORD_NAMES, .owner = process };
	uint32_t mark = RECORD_SEGMENT_MARK;
	uint64_t offset;

	/* One more for the end of the items. */
	head.size = (bytes / RECORD_GRAIN + 1) * RECORD_GRAIN;
	offset = take_space(fd, head.size);
	if (!offset || posix_fallocate(fd, (off_t)offset, (off_t)head.size) ||
	    !write_at(fd, items->bytes, items->size, offset + sizeof(head)) ||
	    !write_at(fd, &head, sizeof(head), offset) ||
	    !write_at(fd, &mark, sizeof(mark), offset))
		return -EIO;
	return 0;
}
