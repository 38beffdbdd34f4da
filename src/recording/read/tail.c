/* SPDX-License-Identifier: MIT */
#include "tail.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "tail_chain.h"
#include "validate.h"

/* A writer that has not marked its space by then was killed before it could. */
#define GAP_LOOKS 20

int tail_open(struct tail *tail, const char *path, struct err *err)
{
	struct record_header *header = &tail->header;

	*tail = (struct tail){ .fd = open(path, O_RDWR | O_CLOEXEC), .scanned = RECORD_GRAIN };
	if (tail->fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	if (pread(tail->fd, header, sizeof(*header), 0) == sizeof(*header) &&
	    memcmp(header->magic, RECORD_MAGIC, sizeof(header->magic)) == 0 &&
	    header->version == RECORD_VERSION &&
	    (header->clock == RECORD_CLOCK_NS || header->clock == RECORD_CLOCK_TICKS))
		return 0;
	tail_close(tail);
	return err_set(err, EINVAL, "'%s' is not a recording that can be followed", path);
}

void tail_close(struct tail *tail)
{
	for (size_t i = 0; i < tail->chain_count; i++)
		tail_chain_fini(&tail->chains[i]);
	free(tail->chains);
	free(tail->gaps);
	hash_free(&tail->by_first);
	close(tail->fd);
	*tail = (struct tail){ .fd = -1 };
}

/* ---- new segments ---- */

/* Returns the chain with this first segment; NULL: none. */
static struct tail_chain *chain_of(const struct tail *tail, uint64_t first)
{
	const uint32_t *place = hash_find(&tail->by_first, first);

	return place && *place < tail->chain_count && tail->chains[*place].first == first
		       ? &tail->chains[*place]
		       : NULL;
}

static int add_chain(struct tail *tail, uint64_t first, uint64_t process, struct err *err)
{
	struct tail_chain *more = vec_room(tail->chains, tail->chain_count, sizeof(*more));
	uint32_t *place = hash_place(&tail->by_first, first);

	if (more)
		tail->chains = more;
	if (!more || !place)
		return err_no_memory(err);
	*place = (uint32_t)tail->chain_count;
	tail->chains[tail->chain_count++] =
		(struct tail_chain){ .first = first, .process = process };
	return 0;
}

/* Adds a segment to its chain. Ignores one of a process that was forgotten, or never existed. */
static int add_segment(struct tail *tail, const struct record_segment *head, uint64_t offset,
		       struct err *err)
{
	bool is_first = head->kind == RECORD_PROCESS || head->kind == RECORD_THREAD;
	uint64_t owner = is_first ? offset : head->owner;
	struct tail_segment segment = { .offset = offset,
					.end = offset + head->size,
					.items = offset + validate_items_start(head->kind) };
	struct tail_chain *chain;
	int status = 0;

	if (head->kind == RECORD_SETUP)
		return 0;
	if (is_first && !chain_of(tail, offset))
		status = add_chain(tail, offset,
				   head->kind == RECORD_PROCESS ? offset : head->owner, err);
	chain = status ? NULL : chain_of(tail, owner);
	/* The head of a thread's first segment continues to be written; those of the others do
	 * not. */
	segment.given_back = head->kind == RECORD_COUNTS ? offset : segment.items;
	return chain ? tail_chain_add(chain, &segment, err) : status;
}

/* Returns the size of a segment that begins there, 0 if there is none so far, or -errno. */
static int64_t look_at(struct tail *tail, uint64_t offset, uint64_t end, struct err *err)
{
	struct record_segment head = { 0 };
	int status;

	if (pread(tail->fd, &head, sizeof(head), (off_t)offset) < 0)
		return err_set(err, errno, "cannot read the recording: %s", strerror(errno));
	if (head.mark != RECORD_SEGMENT_MARK || !validate_items_start(head.kind) ||
	    head.size == 0 || head.size % RECORD_GRAIN || head.size > end - offset)
		return 0;
	status = add_segment(tail, &head, offset, err);
	return status ? status : (int64_t)head.size;
}

static int add_gap(struct tail *tail, uint64_t offset, struct err *err)
{
	struct tail_gap *more = vec_room(tail->gaps, tail->gap_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	tail->gaps = more;
	tail->gaps[tail->gap_count++] = (struct tail_gap){ .offset = offset };
	return 0;
}

/* Removes gaps that turn out to be segments, with their contents, and those that never will. */
static int look_at_gaps(struct tail *tail, uint64_t end, struct err *err)
{
	uint64_t covered = 0;
	size_t kept = 0;

	for (size_t i = 0; i < tail->gap_count; i++) {
		struct tail_gap gap = tail->gaps[i];
		int64_t size = 0;

		if (gap.offset < covered || gap.offset >= end || ++gap.looks > GAP_LOOKS)
			continue;
		size = look_at(tail, gap.offset, end, err);
		if (size < 0)
			return (int)size;
		if (size)
			covered = gap.offset + (uint64_t)size;
		else
			tail->gaps[kept++] = gap;
	}
	tail->gap_count = kept;
	return 0;
}

static int find_segments(struct tail *tail, struct err *err)
{
	int64_t size = 0;
	uint64_t end = 0;
	int status;

	if (tail->is_sealed)
		return 0;
	if (pread(tail->fd, &end, sizeof(end), offsetof(struct record_header, end)) < 0)
		return err_set(err, errno, "cannot read the recording: %s", strerror(errno));
	status = look_at_gaps(tail, end, err);
	/* A writer has given back space that it did not get. */
	if (tail->scanned > end)
		tail->scanned = end;
	while (!status && tail->scanned + RECORD_GRAIN <= end) {
		size = look_at(tail, tail->scanned, end, err);
		if (size <= 0) {
			status = size < 0 ? (int)size : add_gap(tail, tail->scanned, err);
			size = RECORD_GRAIN;
		}
		tail->scanned += (uint64_t)size;
	}
	return status;
}

static bool is_thread(const struct tail_chain *chain)
{
	return chain->first != chain->process;
}

/* Reads samples first: the frames they refer to, and the mappings of their time, have been written
 * by the time these are read. */
int tail_read(struct tail *tail, const struct tail_sink *sink, uint64_t until, struct err *err)
{
	struct tail_reading reading = { .tail = tail, .sink = sink, .until = until };
	int status = find_segments(tail, err);

	for (size_t i = 0; i < tail->chain_count && !status; i++)
		if (is_thread(&tail->chains[i]))
			status = tail_chain_read_samples(&reading, &tail->chains[i], err);
	for (size_t i = 0; i < tail->chain_count && !status; i++)
		if (is_thread(&tail->chains[i]))
			status = tail_chain_read_frames(&reading, &tail->chains[i], err);
	for (size_t i = 0; i < tail->chain_count && !status; i++)
		if (!is_thread(&tail->chains[i]))
			status = tail_chain_read_names(&reading, &tail->chains[i], err);
	return status;
}

void tail_recycle(struct tail *tail)
{
	for (size_t i = 0; i < tail->chain_count; i++)
		if (is_thread(&tail->chains[i]))
			tail_chain_recycle(tail, &tail->chains[i]);
}

/* Rebuilds the table, since chains have moved. Without memory for a new one, some are not found any
 * more: see chain_of(). */
static void rehash(struct tail *tail)
{
	struct hash fresh = { 0 };

	for (size_t i = 0; i < tail->chain_count; i++) {
		uint32_t *place = hash_place(&fresh, tail->chains[i].first);

		if (!place) {
			hash_free(&fresh);
			return;
		}
		*place = (uint32_t)i;
	}
	hash_free(&tail->by_first);
	tail->by_first = fresh;
}

void tail_forget(struct tail *tail, uint64_t process)
{
	size_t kept = 0;

	for (size_t i = 0; i < tail->chain_count; i++) {
		struct tail_chain *chain = &tail->chains[i];

		if (chain->process != process) {
			tail->chains[kept++] = *chain;
			continue;
		}
		tail->lost += tail_chain_lost(tail, chain);
		tail_chain_give_back(tail, chain);
		tail_chain_fini(chain);
	}
	tail->chain_count = kept;
	rehash(tail);
}

void tail_seal(struct tail *tail)
{
	uint64_t end = RECORD_END_SEALED;

	/* If that fails, the next check of its size finds it still growing, and tries again. */
	if (pwrite(tail->fd, &end, sizeof(end), offsetof(struct record_header, end)) > 0)
		tail->is_sealed = true;
}

uint64_t tail_lost(const struct tail *tail)
{
	uint64_t lost = tail->lost;

	for (size_t i = 0; i < tail->chain_count; i++)
		lost += tail_chain_lost(tail, &tail->chains[i]);
	return lost;
}

uint64_t tail_bytes(const struct tail *tail)
{
	struct stat stat;

	return fstat(tail->fd, &stat) ? 0 : (uint64_t)stat.st_blocks * 512;
}
