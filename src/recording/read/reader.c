/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "header.h"
#include "validate.h"

/* Longer than any name; keeps an invalid size from making us read all of a huge, empty file. */
#define LONGEST_ITEM (1 << 20)

/* State of reading a recording. */
struct source {
	struct reader *reader;
	int fd;
	uint64_t said; /* the end according to the header */
	uint64_t end;  /* of the existing part */
};

static int cannot_read(const struct source *source, struct err *err)
{
	return err_set(err, errno, "cannot read '%s': %s", source->reader->path, strerror(errno));
}

/* Returns how many of the bytes exist, or -errno. */
static ssize_t read_at(const struct source *source, void *bytes, size_t size, uint64_t offset,
		       struct err *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t more = pread(source->fd, (char *)bytes + done, size - done,
				     (off_t)(offset + done));

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return cannot_read(source, err);
		if (more == 0)
			break;
		done += (size_t)more;
	}
	return (ssize_t)done;
}

static int read_header(struct source *source, struct err *err)
{
	struct reader *reader = source->reader;
	char bytes[HEADER_BYTES_MAX];
	ssize_t size = read_at(source, bytes, sizeof(bytes), 0, err);
	int status = size < 0
			     ? (int)size
			     : header_read(&reader->header, bytes, (size_t)size, reader->path, err);

	reader->damaged = status ? 0 : reader->header.archive.damaged;
	return status;
}

/* Returns the end according to the header. */
static uint64_t said_end(const struct source *source, uint64_t end)
{
	uint64_t packed = source->reader->header.packed;

	return packed && end == header_end_behind(packed) ? packed : end;
}

/* Checks if the file has grown. */
static int find_end(struct source *source, struct err *err)
{
	struct stat stat;
	uint64_t end;
	ssize_t size = read_at(source, &end, sizeof(end), offsetof(struct record_header, end), err);

	if (size < 0)
		return (int)size;
	if (fstat(source->fd, &stat))
		return cannot_read(source, err);
	source->end = source->reader->bytes = (uint64_t)stat.st_size;
	source->said = size == sizeof(end) ? said_end(source, end) : source->end;
	source->reader->missing = 0;
	if (source->said < source->end)
		source->end = source->said;
	else
		source->reader->missing = source->said - source->end;
	return 0;
}

/* A segment being loaded. */
struct loading {
	const struct source *source;
	struct reader_segment *segment;
	uint64_t size; /* in the file */
	bool is_cut;   /* the file ends inside the segment */
	size_t loaded; /* bytes in memory */
	size_t room;   /* capacity */
};

/* Doubles the memory, so that a long segment is not moved for each of its grains. */
static bool make_room(struct loading *loading, uint64_t wanted)
{
	uint64_t room = 2 * loading->room < loading->size ? 2 * loading->room : loading->size;
	char *bytes;

	if (wanted <= loading->room)
		return true;
	if (room < wanted)
		room = wanted;
	bytes = realloc(loading->segment->bytes, room);
	if (!bytes)
		return false;
	loading->segment->bytes = bytes;
	loading->room = room;
	return true;
}

/* Returns 1 once `wanted` bytes of the segment are loaded, 0 if the file ends first, or -errno.
 * Reads a grain at a time: most of a segment may never have been written. */
static int have(struct loading *loading, uint64_t wanted, struct err *err)
{
	struct reader_segment *segment = loading->segment;
	uint64_t target = (wanted + RECORD_GRAIN - 1) / RECORD_GRAIN * RECORD_GRAIN;
	ssize_t more;

	if (wanted <= loading->loaded)
		return 1;
	if (target > loading->size)
		target = loading->size;
	if (!make_room(loading, target))
		return err_no_memory(err);
	more = read_at(loading->source, segment->bytes + loading->loaded, target - loading->loaded,
		       segment->offset + loading->loaded, err);
	if (more < 0)
		return (int)more;
	loading->loaded += (size_t)more;
	return wanted <= loading->loaded;
}

static struct record_item *item_at(const struct reader_segment *segment, size_t at)
{
	return (struct record_item *)(segment->bytes + at);
}

static bool has_room(const struct loading *loading, const struct record_item *item)
{
	return item->size >= sizeof(*item) && item->size % 8 == 0 && item->size <= LONGEST_ITEM &&
	       item->size <= loading->size - loading->segment->end;
}

/* Returns true if the file was cut inside an item. That is reported for the file, and not counted
 * as damage. */
static bool is_cut(const struct loading *loading, const struct record_item *item)
{
	return loading->is_cut && item->size > loading->size - loading->segment->end;
}

/* Returns 1 if there is one more item, whose kind becomes 0 if it is invalid; 0 if there are no
 * more. */
static int load_item(struct loading *loading, struct err *err)
{
	struct reader_segment *segment = loading->segment;
	size_t at = segment->end, size = 0;
	int there;

	if (at + sizeof(struct record_item) > loading->size)
		return 0;
	there = have(loading, at + sizeof(struct record_item), err);
	if (there > 0) {
		if (item_at(segment, at)->kind == 0 || is_cut(loading, item_at(segment, at)))
			return 0;
		size = item_at(segment, at)->size;
		there = has_room(loading, item_at(segment, at)) ? have(loading, at + size, err) : 0;
	}
	if (there > 0)
		segment->end += size;
	if (there == 0 || (there > 0 && !validate_item(item_at(segment, at)))) {
		loading->source->reader->damaged++;
		if (there)
			item_at(segment, at)->kind = 0;
	}
	return there;
}

/* Terminates its texts of a fixed size. */
static void end_texts(struct reader_segment *segment)
{
	void *head = segment->bytes + sizeof(struct record_segment);
	struct record_process *process = head;
	struct record_thread *thread = head;

	if (segment->kind == RECORD_PROCESS)
		process->command[sizeof(process->command) - 1] = '\0';
	if (segment->kind == RECORD_THREAD)
		thread->name[sizeof(thread->name) - 1] = '\0';
}

/* Returns 1 if the segment is loaded as far as it was written; 0 if not even its start exists. */
static int load(struct loading *loading, struct err *err)
{
	struct reader_segment *segment = loading->segment;
	int there = have(loading, segment->items, err);

	if (there <= 0)
		return there;
	end_texts(segment);
	segment->end = segment->items;
	while ((there = load_item(loading, err)) > 0)
		;
	return there < 0 ? there : 1;
}

/* Returns the size of the existing part of a segment. */
static uint64_t size_there(const struct source *source, const struct record_segment *head,
			   uint64_t offset)
{
	return head->size < source->end - offset ? head->size : source->end - offset;
}

/* Adds the segment that begins there. */
static int add_segment(struct source *source, const struct record_segment *head, uint64_t offset,
		       struct err *err)
{
	struct reader *reader = source->reader;
	struct reader_segment *more = vec_room(reader->segments, reader->count, sizeof(*more));
	struct reader_segment segment = { .offset = offset,
					  .owner = head->owner,
					  .kind = head->kind,
					  .items = validate_items_start(head->kind) };
	struct loading loading = { .source = source,
				   .segment = &segment,
				   .size = size_there(source, head, offset) };
	int there;

	if (!more)
		return err_no_memory(err);
	reader->segments = more;
	loading.is_cut = loading.size < head->size;
	there = load(&loading, err);
	if (there > 0) {
		reader->segments[reader->count++] = segment;
		return 0;
	}
	free(segment.bytes);
	reader->damaged += there == 0 && !loading.is_cut;
	return there;
}

/* Returns the number of which sizes of segments at an offset are multiples. */
static uint64_t grain_at(const struct source *source, uint64_t offset)
{
	return offset < source->reader->header.packed ? RECORD_PACKED : RECORD_GRAIN;
}

/* Skips unwritten parts: returns the next data of the file, at a grain's start. */
static uint64_t next_data(const struct source *source, uint64_t offset, uint64_t grain)
{
	off_t data = lseek(source->fd, (off_t)offset, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? source->end : offset;
	return (uint64_t)data / grain * grain;
}

/* Returns true for segments that only contain names. */
static bool is_names(uint32_t kind)
{
	return kind != RECORD_THREAD && kind != RECORD_COUNTS;
}

static bool fits(uint64_t end, const struct record_segment *head, uint64_t offset)
{
	return offset <= end && head->size <= end - offset;
}

/* Returns 1 if the head of a segment is valid, 0 if not, or -errno. One that extends beyond the end
 * may be younger than the end we know. */
static int check_head(struct source *source, const struct record_segment *head, uint64_t offset,
		      struct err *err)
{
	int status;

	if (head->size < sizeof(*head) || head->size % grain_at(source, offset) ||
	    !validate_items_start(head->kind))
		return 0;
	status = fits(source->end, head, offset) ? 0 : find_end(source, err);
	return status ? status : fits(source->said, head, offset) && offset < source->end;
}

/* Returns 0, and how far to advance from this offset; or -errno. */
static int scan_at(struct source *source, uint64_t offset, bool names, uint64_t *step,
		   struct err *err)
{
	struct record_segment head = { 0 };
	ssize_t size = read_at(source, &head, sizeof(head), offset, err);
	int is_sane;

	*step = grain_at(source, offset);
	if (size < 0)
		return (int)size;
	/* A truncated head cannot be read; an unwritten one has a mark of 0 as well. */
	if ((size_t)size < sizeof(head) || head.mark != RECORD_SEGMENT_MARK) {
		*step = next_data(source, offset + *step, *step) - offset;
		return 0;
	}
	is_sane = check_head(source, &head, offset, err);
	if (is_sane <= 0) {
		source->reader->damaged += is_sane == 0 && names;
		return is_sane;
	}
	*step = head.size;
	return is_names(head.kind) == names ? add_segment(source, &head, offset, err) : 0;
}

/* Returns the next possible start of a segment. Behind the packed part, segments begin at whole
 * grains. */
static uint64_t segment_from(const struct source *source, uint64_t offset)
{
	return offset < source->reader->header.packed ? offset : header_end_behind(offset);
}

static int scan(struct source *source, bool names, struct err *err)
{
	uint64_t offset = segment_from(source, header_packed_start(&source->reader->header)), step;
	int status = find_end(source, err);

	while (!status && offset < source->end) {
		status = scan_at(source, offset, names, &step, err);
		offset = segment_from(source, offset + step);
	}
	return status;
}

/* Checks that there is anything to show. After a full disk, an incomplete recording is still
 * useful. A run without processes at least has SETUP.
 */
static int check_content(const struct source *source, struct err *err)
{
	if (reader_first(source->reader, RECORD_PROCESS))
		return 0;
	if (source->reader->missing)
		return header_damaged(source->reader->path, "it ends before its first process",
				      err);
	if (!reader_first(source->reader, RECORD_SETUP))
		return header_damaged(source->reader->path,
				      "it does not contain the options of its command", err);
	return 0;
}

static int by_offset(const void *left, const void *right)
{
	const struct reader_segment *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

int reader_read(struct reader *reader, int fd, const char *path, struct err *err)
{
	struct source source = { .reader = reader, .fd = fd };
	int status;

	*reader = (struct reader){ .path = strdup(path) };
	status = reader->path ? read_header(&source, err) : err_no_memory(err);
	/* Names last: everything counted by then has a name. */
	if (!status)
		status = scan(&source, false, err);
	if (!status)
		status = scan(&source, true, err);
	if (!status)
		status = check_content(&source, err);
	reader->missing += reader->header.archive.missing;
	if (status)
		reader_close(reader);
	else if (reader->count)
		qsort(reader->segments, reader->count, sizeof(*reader->segments), by_offset);
	return status;
}

int reader_open(struct reader *reader, const char *path, struct err *err)
{
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;

	if (fd < 0)
		return err_set(err, errno, "cannot open '%s': %s%s", path, strerror(errno),
			       errno == ENOENT ? "; dwell record creates one" : "");
	status = reader_read(reader, fd, path, err);
	close(fd);
	return status;
}

void reader_close(struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++)
		free(reader->segments[i].bytes);
	free(reader->segments);
	free(reader->path);
	*reader = (struct reader){ 0 };
}

const struct reader_segment *reader_segment_at(const struct reader *reader, uint64_t offset)
{
	struct reader_segment key = { .offset = offset };

	return reader->count
		       ? bsearch(&key, reader->segments, reader->count, sizeof(key), by_offset)
		       : NULL;
}

const struct reader_segment *reader_first(const struct reader *reader,
					  enum record_segment_kind kind)
{
	for (size_t i = 0; i < reader->count; i++)
		if (reader->segments[i].kind == kind)
			return &reader->segments[i];
	return NULL;
}

const struct record_item *reader_next(const struct reader_segment *segment,
				      const struct record_item *previous)
{
	size_t at = segment->items;

	if (previous)
		at = (size_t)((const char *)previous - segment->bytes) + previous->size;
	for (; at < segment->end; at += item_at(segment, at)->size)
		if (item_at(segment, at)->kind)
			return item_at(segment, at);
	return NULL;
}

const struct record_item *reader_find(const struct reader_segment *segment,
				      enum record_item_kind kind)
{
	const struct record_item *item = reader_next(segment, NULL);

	while (item && item->kind != kind)
		item = reader_next(segment, item);
	return item;
}

bool reader_has_specs(const struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++)
		if (reader->segments[i].kind == RECORD_SETUP &&
		    reader_find(&reader->segments[i], RECORD_SPEC))
			return true;
	return false;
}

const struct reader_segment *reader_setup_of(const struct reader *reader,
					     const struct reader_segment *process)
{
	uint64_t offset = ((const struct record_segment *)process->bytes)->setup;
	const struct reader_segment *setup =
		offset ? reader_segment_at(reader, offset) : reader_first(reader, RECORD_SETUP);

	return setup && setup->kind == RECORD_SETUP ? setup : NULL;
}

const struct record_process *reader_process(const struct reader_segment *segment)
{
	return (const struct record_process *)(segment->bytes + sizeof(struct record_segment));
}

const struct record_thread *reader_thread(const struct reader_segment *segment)
{
	return (const struct record_thread *)(segment->bytes + sizeof(struct record_segment));
}

bool reader_has_times(const struct record_calls *calls)
{
	return calls->item.size >= sizeof(struct record_calls);
}

const char *reader_second_text(const char *first)
{
	return first + strlen(first) + 1;
}
